#include "json/reader.h"

#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "json/utf8.h"

namespace penstock::json {
namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;

// The high bit of every byte of `word` that is below `bound` (at most 0x80). Above the first such
// byte there may be false ones, since the subtraction borrows: only the lowest counts.
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t bound) noexcept {
  return (word - kEachByte * bound) & ~word & (kEachByte * 0x80);
}

constexpr bool is_special(char byte) noexcept {
  return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
}

// The first quote, backslash or control byte, or `end`. Sixteen or eight bytes a step: most of
// every body is the inside of strings.
const char* find_special(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1F);
  while (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
    const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
    if (mask != 0) return at + std::countr_zero(mask);
    at += 16;
  }
#endif
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      const std::uint64_t found = below(word, 0x20) | below(word ^ (kEachByte * '"'), 1) |
                                  below(word ^ (kEachByte * '\\'), 1);
      if (found != 0) return at + std::countr_zero(found) / 8;
      at += 8;
    }
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

constexpr bool is_digit(char byte) noexcept { return byte >= '0' && byte <= '9'; }

constexpr bool is_hex(char byte) noexcept {
  return is_digit(byte) || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
}

// Behind the escape that begins at `at`, or nullptr when it is none.
const char* behind_escape(const char* at, const char* end) noexcept {
  if (end - at < 2) return nullptr;
  switch (at[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return at + 2;
    case 'u':
      if (end - at < 6) return nullptr;
      for (int i = 2; i < 6; ++i)
        if (!is_hex(at[i])) return nullptr;
      return at + 6;
    default: return nullptr;
  }
}

}  // namespace

bool Reader::fail() noexcept {
  failed_ = true;
  return false;
}

void Reader::skip_space() noexcept {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

Kind Reader::peek() noexcept {
  if (failed_) return Kind::kInvalid;
  skip_space();
  if (at_ == end_) return Kind::kInvalid;
  switch (*at_) {
    case '{': return Kind::kObject;
    case '[': return Kind::kArray;
    case '"': return Kind::kString;
    case 't': return Kind::kTrue;
    case 'f': return Kind::kFalse;
    case 'n': return Kind::kNull;
    default: return *at_ == '-' || is_digit(*at_) ? Kind::kNumber : Kind::kInvalid;
  }
}

bool Reader::open(char bracket) noexcept {
  if (failed_) return false;
  skip_space();
  if (at_ == end_ || *at_ != bracket || depth_ == kDepthMax) return fail();
  ++at_;
  ++depth_;
  first_ = true;
  return true;
}

bool Reader::enter_object() noexcept { return open('{'); }
bool Reader::enter_array() noexcept { return open('['); }

// True when one more member or element comes next; false when the container was left, or failed.
bool Reader::close_or_comma(char bracket) noexcept {
  if (failed_) return false;
  skip_space();
  if (at_ == end_ || depth_ == 0) return fail();
  const bool first = first_;
  first_ = false;
  if (*at_ == bracket) {
    ++at_;
    --depth_;
    return false;
  }
  if (first) return true;
  if (*at_ != ',') return fail();
  ++at_;
  return true;
}

bool Reader::next_key(std::string_view& key) noexcept {
  return close_or_comma('}') && scan_key(key);
}

bool Reader::next_element() noexcept { return close_or_comma(']'); }

std::string_view Reader::skip_value() noexcept {
  if (failed_) return {};
  skip_space();
  const char* const from = at_;
  if (!scan_containers()) return {};
  return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view Reader::read_string() noexcept {
  if (failed_) return {};
  skip_space();
  std::string_view inside;
  if (at_ == end_ || *at_ != '"') {
    fail();
    return {};
  }
  if (!scan_string(inside)) return {};
  return inside;
}

bool Reader::finish() noexcept {
  if (failed_) return false;
  skip_space();
  return (at_ == end_ && depth_ == 0) || fail();
}

// From the opening quote to behind the closing one.
bool Reader::scan_string(std::string_view& inside) noexcept {
  const char* const from = ++at_;
  for (;;) {
    at_ = find_special(at_, end_);
    if (at_ == end_) return fail();
    if (*at_ == '"') break;
    if (*at_ != '\\') return fail();  // a control byte must be escaped
    const char* const behind = behind_escape(at_, end_);
    if (behind == nullptr) return fail();
    at_ = behind;
  }
  inside = {from, static_cast<std::size_t>(at_ - from)};
  ++at_;
  return true;
}

bool Reader::scan_digits() noexcept {
  if (at_ == end_ || !is_digit(*at_)) return fail();
  while (at_ != end_ && is_digit(*at_)) ++at_;
  return true;
}

// Of any size: what a number is worth does not concern the reader.
bool Reader::scan_number() noexcept {
  if (*at_ == '-') ++at_;
  if (at_ != end_ && *at_ == '0')
    ++at_;
  else if (!scan_digits())
    return false;
  if (at_ != end_ && *at_ == '.') {
    ++at_;
    if (!scan_digits()) return false;
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!scan_digits()) return false;
  }
  return true;
}

bool Reader::scan_word(std::string_view word) noexcept {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  if (!rest.starts_with(word)) return fail();
  at_ += word.size();
  return true;
}

bool Reader::scan_scalar() noexcept {
  std::string_view inside;
  switch (*at_) {
    case '"': return scan_string(inside);
    case 't': return scan_word("true");
    case 'f': return scan_word("false");
    case 'n': return scan_word("null");
    default: return *at_ == '-' || is_digit(*at_) ? scan_number() : fail();
  }
}

// A member's name and its colon.
bool Reader::scan_key(std::string_view& key) noexcept {
  skip_space();
  if (at_ == end_ || *at_ != '"') return fail();
  if (!scan_string(key)) return false;
  skip_space();
  if (at_ == end_ || *at_ != ':') return fail();
  ++at_;
  return true;
}

// One value of any kind. Containers are kept in a set of bits, one a level, so that hostile depth
// costs neither stack nor memory.
bool Reader::scan_containers() noexcept {
  std::bitset<kDepthMax + 1> object_at;
  std::string_view key;
  const std::uint32_t outer = depth_;
  for (;;) {
    skip_space();
    if (at_ == end_) return fail();
    if (*at_ == '{' || *at_ == '[') {
      if (depth_ == kDepthMax) return fail();
      const bool object = *at_ == '{';
      ++at_;
      skip_space();
      if (at_ != end_ && *at_ == (object ? '}' : ']')) {
        ++at_;
      } else {
        object_at[++depth_] = object;
        if (object && !scan_key(key)) return false;
        continue;
      }
    } else if (!scan_scalar()) {
      return false;
    }
    // A value is complete: leave what it closes, up to a comma.
    for (;;) {
      if (depth_ == outer) return true;
      skip_space();
      if (at_ == end_) return fail();
      const bool object = object_at[depth_];
      if (*at_ == ',') {
        ++at_;
        if (object && !scan_key(key)) return false;
        break;
      }
      if (*at_ != (object ? '}' : ']')) return fail();
      ++at_;
      --depth_;
    }
  }
}

bool valid(std::string_view text) noexcept {
  Reader reader(text);
  reader.skip_value();
  return reader.finish() && valid_utf8(text);
}

}  // namespace penstock::json
