#include "wire/char_class.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace penstock::wire {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = kOnes << 7;

// Marks the high bit of bytes below the space and of DEL. The lowest mark is exact; higher ones may
// be wrong, since a borrow runs upwards. HTAB is marked too: the caller looks again.
constexpr std::uint64_t control_marks(std::uint64_t word) noexcept {
  const std::uint64_t below_space = (word - kOnes * 0x20) & ~word & kHighs;
  const std::uint64_t del_is_zero = word ^ (kOnes * 0x7f);
  const std::uint64_t is_del = (del_is_zero - kOnes) & ~del_is_zero & kHighs;
  return below_space | is_del;
}
static_assert(std::endian::native == std::endian::little, "the lowest mark is the first byte");

}  // namespace

bool is_token(std::string_view bytes) noexcept {
  return !bytes.empty() &&
         std::ranges::all_of(bytes, [](char byte) { return is_in(kTokenBytes, byte); });
}

const char* find_not_value(const char* at, const char* end) noexcept {
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t marks = control_marks(word);
    if (marks == 0) {
      at += sizeof word;
      continue;
    }
    at += std::countr_zero(marks) / 8;
    if (*at != '\t') return at;
    ++at;
  }
  while (at != end && is_value_byte(*at)) ++at;
  return at;
}

std::string quoted(std::string_view bytes) {
  constexpr std::size_t kShownMax = 40;
  std::string out = "'";
  for (const char byte : bytes.substr(0, kShownMax)) {
    const bool harmless = byte >= ' ' && byte < 0x7f && byte != '\'' && byte != '\\';
    out += harmless ? byte : '?';
  }
  out += bytes.size() > kShownMax ? "'…" : "'";
  return out;
}

}  // namespace penstock::wire
