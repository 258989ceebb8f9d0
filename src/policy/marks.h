#pragma once

#include <cstddef>
#include <cstdint>

#include "policy/window.h"

namespace penstock::policy {

// What stands between the parts of a number as people write and programs print it.
enum class MarkKind : std::uint8_t { kNone, kBlank, kHyphen };

struct Mark {
  MarkKind kind = MarkKind::kNone;
  std::size_t size = 0;  // bytes; 0 for none
};

// mark_at() for what begins with a byte beyond ASCII.
[[nodiscard]] Mark wide_mark_at(Look& look, std::size_t at) noexcept;

// The blank or hyphen at a place: ASCII's, or one of Unicode's that looks like it or like nothing
// (no-break, thin, figure and zero-width spaces, no-break and soft hyphens, dashes, the minus
// sign). A tab or a line's end is none. Looks no further than its last byte.
[[nodiscard]] inline Mark mark_at(Look& look, std::size_t at) noexcept {
  const int first = look.at(at);
  if (first == ' ') return {MarkKind::kBlank, 1};
  if (first == '-') return {MarkKind::kHyphen, 1};
  return first < 0x80 ? Mark{} : wide_mark_at(look, at);
}

}  // namespace penstock::policy
