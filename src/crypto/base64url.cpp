#include "crypto/base64url.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::crypto {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values;
  values.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

}  // namespace

std::optional<std::string> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char character : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(character)];
    if (value == kNone) return std::nullopt;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((held >> bits) & 0xFF);
    held &= (1U << bits) - 1;
  }
  if (held != 0) return std::nullopt;  // a second spelling of the same bytes
  return bytes;
}

std::string base64url_encode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 3);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char byte : bytes) {
    held = (held << 8) | static_cast<unsigned char>(byte);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += kAlphabet[(held >> bits) & 0x3F];
    }
    held &= (1U << bits) - 1;
  }
  if (bits > 0) text += kAlphabet[(held << (6 - bits)) & 0x3F];
  return text;
}

}  // namespace penstock::crypto
