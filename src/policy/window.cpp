#include "policy/window.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "json/utf8.h"

namespace penstock::policy {

bool ends_with_escape(std::string_view text) noexcept {
  constexpr std::size_t kUnicode = 6;  // bytes of \u and four digits
  const std::size_t size = text.size();
  if (size >= 2 && text[size - 2] == '\\')
    return std::string_view("bfnrt").find(text.back()) != std::string_view::npos;
  const std::string_view last = text.substr(size - std::min(size, kUnicode));
  return last.size() == kUnicode && last.starts_with("\\u") &&
         std::ranges::all_of(last.substr(2),
                             [](char byte) { return is_hex(static_cast<unsigned char>(byte)); });
}

std::string_view whole_characters(std::string_view text) noexcept {
  const std::size_t back_max = std::min<std::size_t>(text.size(), 3);
  for (std::size_t back = 1; back <= back_max; ++back) {
    if (json::continues_character(text[text.size() - back])) continue;
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    const std::size_t size = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return size > back ? text.substr(0, text.size() - back) : text;
  }
  return text;
}

}  // namespace penstock::policy
