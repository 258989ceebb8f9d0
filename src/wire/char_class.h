#pragma once

#include <array>
#include <string>
#include <string_view>

// Which bytes may stand where in a head: RFC 9110 sections 5.5 and 5.6.2, RFC 9112 section 3.2.
namespace penstock::wire {

using ByteSet = std::array<bool, 256>;

// The letters and digits, and these.
constexpr ByteSet alphanumerics_and(std::string_view more) {
  ByteSet set{};
  for (unsigned c = '0'; c <= '9'; ++c) set[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) set[c] = set[c + 32] = true;
  for (const char c : more) set[static_cast<unsigned char>(c)] = true;
  return set;
}

inline constexpr ByteSet kTokenBytes = alphanumerics_and("!#$%&'*+-.^_`|~");
// Of a name in Host; a port and an address in brackets are judged apart.
inline constexpr ByteSet kHostBytes = alphanumerics_and("-._~!$&'()*+,;=%");

[[nodiscard]] constexpr bool is_in(const ByteSet& set, char byte) noexcept {
  return set[static_cast<unsigned char>(byte)];
}

// Printable ASCII without the space; '#' would begin a fragment, which is never sent.
[[nodiscard]] constexpr bool is_target_byte(char byte) noexcept {
  return byte > ' ' && byte < 0x7f && byte != '#';
}

// VCHAR, obs-text, SP and HTAB.
[[nodiscard]] constexpr bool is_value_byte(char byte) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= ' ' && value != 0x7f) || byte == '\t';
}

[[nodiscard]] constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

// 1 to n token bytes.
[[nodiscard]] bool is_token(std::string_view bytes) noexcept;

// The first byte in [at, end) that may not stand in a field value, or `end`.
[[nodiscard]] const char* find_not_value(const char* at, const char* end) noexcept;

// For messages: at most 40 bytes in quotes, all but harmless printable ASCII replaced by '?'.
[[nodiscard]] std::string quoted(std::string_view bytes);

}  // namespace penstock::wire
