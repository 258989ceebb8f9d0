#pragma once

#include <algorithm>
#include <string>

// Letters and digits of ASCII, whatever the locale; other bytes are left as they are.
namespace penstock {

[[nodiscard]] constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

// The value of a hexadecimal digit of either case, or -1.
[[nodiscard]] constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace penstock
