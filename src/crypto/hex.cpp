#include "crypto/hex.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace penstock::crypto {
namespace {

// The value of a lower-case digit, or -1.
int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

void hex_encode_to(std::span<const std::byte> bytes, std::span<char> out) noexcept {
  PENSTOCK_ASSERT(out.size() == 2 * bytes.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::size_t at = 0;
  for (const std::byte byte : bytes) {
    out[at++] = kDigits[std::to_integer<unsigned>(byte) >> 4];
    out[at++] = kDigits[std::to_integer<unsigned>(byte) & 0xF];
  }
}

std::string hex_encode(std::span<const std::byte> bytes) {
  std::string text(2 * bytes.size(), '0');
  hex_encode_to(bytes, text);
  return text;
}

bool hex_decode(std::string_view text, std::span<std::byte> out) noexcept {
  if (text.size() != 2 * out.size()) return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::byte>(high * 16 + low);
  }
  return true;
}

}  // namespace penstock::crypto
