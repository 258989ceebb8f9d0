#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::policy {

// A configured expression in RE2's syntax, taken apart as far as streams need it.
struct Expression {
  std::size_t bytes_max = 0;  // of a match
  bool ignores_case = false;  // it began with (?i)
  std::string whole;          // without that flag
  // What every beginning of a match matches, the empty one and the whole included. It may match a
  // little more: it decides what is held back, not what is masked.
  std::string beginnings;
};

inline constexpr std::size_t kExpressionMax = 256;  // bytes as written
inline constexpr std::size_t kMatchBytesMax = 512;  // of what one expression may match

// Reads an expression: literals, `.`, classes, groups, alternatives, `?`, `{n}`, `{n,m}`, the
// escapes for classes and characters, `\b` and `\B`, `(?i)` at its beginning.
//
// errors: kInvalidRequest with what is wrong in `message`: no bound (`*`, `+`, `{n,}`), a match of
//         nothing, more than kMatchBytesMax, or something of the syntax that is none of the above.
[[nodiscard]] Result<Expression> read_expression(std::string_view text);

}  // namespace penstock::policy
