#include "fleet/provider.h"

#include <string>

#include "dialect/registry.h"

namespace penstock::fleet {

void append_credential(std::string& head, const Provider& provider) {
  if (provider.key.empty()) return;
  head += provider.dialect->key_header;
  head += ": ";
  head += provider.dialect->key_prefix;
  head += provider.key.reveal();
  head += "\r\n";
}

}  // namespace penstock::fleet
