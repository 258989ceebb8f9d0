#include "policy/custom_pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <re2/re2.h>
#include <re2/stringpiece.h>

#include "base/error_code.h"
#include "base/result.h"
#include "policy/expression.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr std::int64_t kMemoryMax = std::int64_t{4} << 20;  // of one automaton

RE2::Options options(const Expression& expression) {
  RE2::Options out;
  out.set_log_errors(false);
  out.set_never_capture(true);
  out.set_case_sensitive(!expression.ignores_case);
  out.set_max_mem(kMemoryMax);
  return out;
}

}  // namespace

struct CustomPattern::Compiled {
  explicit Compiled(const Expression& expression)
      : whole(expression.whole, options(expression)),
        beginning("(?:" + expression.beginnings + ")\\z", options(expression)),
        bytes_max(expression.bytes_max) {}

  RE2 whole;
  RE2 beginning;  // of a match that the text ends within, or with
  std::size_t bytes_max;
};

CustomPattern::CustomPattern(std::unique_ptr<const Compiled> compiled) noexcept
    : compiled_(std::move(compiled)) {}
CustomPattern::CustomPattern(CustomPattern&& other) noexcept = default;
CustomPattern& CustomPattern::operator=(CustomPattern&& other) noexcept = default;
CustomPattern::~CustomPattern() = default;

Result<CustomPattern> CustomPattern::build(std::string_view expression) {
  PENSTOCK_TRY(const Expression read, read_expression(expression));
  auto compiled = std::make_unique<const Compiled>(read);
  if (!compiled->whole.ok())
    return fail(ErrorCode::kInvalidRequest, "is no expression: " + compiled->whole.error());
  if (!compiled->beginning.ok()) return fail(ErrorCode::kInvalidRequest, "is too complicated");
  return CustomPattern(std::move(compiled));
}

Found CustomPattern::find(const Window& window, std::size_t from) const {
  const std::string_view known = window.final ? window.bytes : whole_characters(window.bytes);
  const re2::StringPiece text(known.data(), known.size());
  const auto search = [&text](const RE2& what, std::size_t start, re2::StringPiece& hit) {
    return what.Match(text, start, text.size(), RE2::UNANCHORED, &hit, 1);
  };
  if (from > known.size()) return {};
  std::size_t open = known.size();
  if (!window.final) {
    const std::size_t start =
        std::max(from, known.size() - std::min(known.size(), compiled_->bytes_max));
    re2::StringPiece tail;
    if (search(compiled_->beginning, start, tail))
      open = static_cast<std::size_t>(tail.data() - known.data());
  }
  re2::StringPiece hit;
  if (search(compiled_->whole, from, hit)) {
    const auto begin = static_cast<std::size_t>(hit.data() - known.data());
    if (begin < open) return Found::match(begin, begin + hit.size());
  }
  return open < window.bytes.size() ? Found::maybe(open) : Found{};
}

}  // namespace penstock::policy
