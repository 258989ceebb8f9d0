#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Fast ways to the next byte at which an identifier may be: most text has none. Each returns the
// first place at or after `from`, or the size.
namespace penstock::policy {

[[nodiscard]] inline std::size_t find_byte(std::string_view text, char byte,
                                           std::size_t from) noexcept {
  if (from >= text.size()) return text.size();
  const void* found = std::memchr(text.data() + from, byte, text.size() - from);
  if (found == nullptr) return text.size();
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// A digit or one of two other bytes.
[[nodiscard]] inline std::size_t find_digit_or(std::string_view text, char one, char other,
                                               std::size_t from) noexcept {
  std::size_t at = from;
#if defined(__SSE2__)
  const __m128i zero = _mm_set1_epi8('0');
  const __m128i nine = _mm_set1_epi8(9);
  const __m128i first = _mm_set1_epi8(one);
  const __m128i second = _mm_set1_epi8(other);
  while (at + 16 <= text.size()) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i offset = _mm_sub_epi8(block, zero);
    const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(offset, nine), offset);
    const __m128i either =
        _mm_or_si128(_mm_cmpeq_epi8(block, first), _mm_cmpeq_epi8(block, second));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(digit, either)));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
    at += 16;
  }
#endif
  while (at < text.size()) {
    const char byte = text[at];
    if ((byte >= '0' && byte <= '9') || byte == one || byte == other) return at;
    ++at;
  }
  return text.size();
}

[[nodiscard]] inline std::size_t find_digit(std::string_view text, std::size_t from) noexcept {
  return find_digit_or(text, '0', '0', from);
}

// One of four bytes.
[[nodiscard]] inline std::size_t find_one_of(std::string_view text, const char (&bytes)[5],
                                             std::size_t from) noexcept {
  std::size_t at = from;
#if defined(__SSE2__)
  const __m128i a = _mm_set1_epi8(bytes[0]);
  const __m128i b = _mm_set1_epi8(bytes[1]);
  const __m128i c = _mm_set1_epi8(bytes[2]);
  const __m128i d = _mm_set1_epi8(bytes[3]);
  while (at + 16 <= text.size()) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, a), _mm_cmpeq_epi8(block, b)),
                     _mm_or_si128(_mm_cmpeq_epi8(block, c), _mm_cmpeq_epi8(block, d)));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
    at += 16;
  }
#endif
  while (at < text.size()) {
    const char byte = text[at];
    if (byte == bytes[0] || byte == bytes[1] || byte == bytes[2] || byte == bytes[3]) return at;
    ++at;
  }
  return text.size();
}

}  // namespace penstock::policy
