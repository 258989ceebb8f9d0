#include "policy/window.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace penstock::policy {

std::string_view whole_characters(std::string_view text) noexcept {
  const std::size_t back_max = std::min<std::size_t>(text.size(), 3);
  for (std::size_t back = 1; back <= back_max; ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0x80) continue;
    const std::size_t size = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return size > back ? text.substr(0, text.size() - back) : text;
  }
  return text;
}

}  // namespace penstock::policy
