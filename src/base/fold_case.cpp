#include "base/fold_case.h"

#include <string>
#include <string_view>

#include "base/ascii.h"

namespace penstock {

std::string fold_case(std::string_view name) {
  constexpr std::string_view kLongS = "\xC5\xBF";
  constexpr std::string_view kKelvin = "\xE2\x84\xAA";
  std::string out;
  while (!name.empty()) {
    if (name.starts_with(kLongS)) {
      out += 's';
      name.remove_prefix(kLongS.size());
    } else if (name.starts_with(kKelvin)) {
      out += 'k';
      name.remove_prefix(kKelvin.size());
    } else {
      out += lower(name.front());
      name.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace penstock
