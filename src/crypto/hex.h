#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace penstock::crypto {

// Lower-case hex, two digits a byte.
[[nodiscard]] std::string hex_encode(std::span<const std::byte> bytes);

// Writes lower-case hex into `out`, which has exactly twice the length of `bytes`.
void hex_encode_to(std::span<const std::byte> bytes, std::span<char> out) noexcept;

// Strict: fills `out` exactly from twice as many lower-case digits, else leaves it unspecified and
// returns false. Upper case is refused, so that a value has one spelling only.
[[nodiscard]] bool hex_decode(std::string_view text, std::span<std::byte> out) noexcept;

}  // namespace penstock::crypto
