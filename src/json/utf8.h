#pragma once

#include <string_view>

namespace penstock::json {

// Whether all of `bytes` is well-formed UTF-8 (no overlong forms, no surrogates). Vectorised;
// allocates nothing.
[[nodiscard]] bool valid_utf8(std::string_view bytes) noexcept;

// Whether a byte is one of a character's behind its first.
[[nodiscard]] constexpr bool continues_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace penstock::json
