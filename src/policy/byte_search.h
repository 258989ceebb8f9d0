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

#if defined(__SSE2__)
// Sixteen bytes of a text, or of what each of them is: all bits set where it is what is searched.
using Block = __m128i;

[[nodiscard]] inline Block block_at(std::string_view text, std::size_t at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}
[[nodiscard]] inline Block block_is(Block block, char byte) noexcept {
  return _mm_cmpeq_epi8(block, _mm_set1_epi8(byte));
}
[[nodiscard]] inline Block block_is_digit(Block block) noexcept {
  const Block offset = _mm_sub_epi8(block, _mm_set1_epi8('0'));
  return _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(9)), offset);
}
[[nodiscard]] inline Block either(Block a, Block b) noexcept { return _mm_or_si128(a, b); }
[[nodiscard]] inline std::uint32_t bits(Block found) noexcept {
  return static_cast<std::uint32_t>(_mm_movemask_epi8(found));
}

// Passes blocks in which nothing is found, sixty-four bytes a turn behind the first. Returns the
// place found, or how far there were whole blocks.
template <class InBlock>
[[nodiscard]] std::size_t skip_blocks(std::string_view text, std::size_t at,
                                      InBlock in_block) noexcept {
  constexpr std::size_t kBlock = sizeof(Block);
  if (at + kBlock <= text.size()) {
    const std::uint32_t found = bits(in_block(block_at(text, at)));
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
    at += kBlock;
  }
  while (at + 4 * kBlock <= text.size()) {
    const Block a = in_block(block_at(text, at));
    const Block b = in_block(block_at(text, at + kBlock));
    const Block c = in_block(block_at(text, at + 2 * kBlock));
    const Block d = in_block(block_at(text, at + 3 * kBlock));
    if (bits(either(either(a, b), either(c, d))) != 0) {
      const std::uint64_t low = bits(a) | bits(b) << kBlock;
      const std::uint64_t high = bits(c) | bits(d) << kBlock;
      return at + static_cast<std::size_t>(std::countr_zero(low | high << (2 * kBlock)));
    }
    at += 4 * kBlock;
  }
  for (; at + kBlock <= text.size(); at += kBlock)
    if (const std::uint32_t found = bits(in_block(block_at(text, at))); found != 0)
      return at + static_cast<std::size_t>(std::countr_zero(found));
  return at;
}
#endif

// The plain way: what is left behind the last whole block, and all of it on other machines.
template <class IsOne>
[[nodiscard]] std::size_t find_bytewise(std::string_view text, std::size_t at,
                                        IsOne is_one) noexcept {
  while (at < text.size() && !is_one(text[at])) ++at;
  return at < text.size() ? at : text.size();
}

[[nodiscard]] inline std::size_t find_byte(std::string_view text, char byte,
                                           std::size_t from) noexcept {
  if (from >= text.size()) return text.size();
  const void* found = std::memchr(text.data() + from, byte, text.size() - from);
  if (found == nullptr) return text.size();
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

[[nodiscard]] inline std::size_t find_digit(std::string_view text, std::size_t from) noexcept {
  const auto is_one = [](char byte) { return byte >= '0' && byte <= '9'; };

#if defined(__SSE2__)
  from = skip_blocks(text, from, [](Block block) { return block_is_digit(block); });
#endif
  return find_bytewise(text, from, is_one);
}

// A digit or one of two other bytes.
[[nodiscard]] inline std::size_t find_digit_or(std::string_view text, char one, char other,
                                               std::size_t from) noexcept {
  const auto is_one = [one, other](char byte) {
    return (byte >= '0' && byte <= '9') || byte == one || byte == other;
  };

#if defined(__SSE2__)
  from = skip_blocks(text, from, [one, other](Block block) {
    return either(block_is_digit(block), either(block_is(block, one), block_is(block, other)));
  });
#endif
  return find_bytewise(text, from, is_one);
}

// One of four bytes.
[[nodiscard]] inline std::size_t find_one_of(std::string_view text, const char (&bytes)[5],
                                             std::size_t from) noexcept {
#if defined(__SSE2__)
  from = skip_blocks(text, from, [&bytes](Block block) {
    return either(either(block_is(block, bytes[0]), block_is(block, bytes[1])),
                  either(block_is(block, bytes[2]), block_is(block, bytes[3])));
  });
#endif
  return find_bytewise(text, from, [&bytes](char byte) {
    return byte == bytes[0] || byte == bytes[1] || byte == bytes[2] || byte == bytes[3];
  });
}

}  // namespace penstock::policy
