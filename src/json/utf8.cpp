#include "json/utf8.h"

#include <string_view>

#include <simdjson.h>

namespace penstock::json {

bool valid_utf8(std::string_view bytes) noexcept {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

}  // namespace penstock::json
