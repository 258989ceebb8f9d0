#include "policy/output_rule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"

namespace penstock::policy {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::unexpected<Error> wrong(std::string_view member, std::string text) {
  Error error(ErrorCode::kInvalidRequest, std::move(text));
  error.param = member;
  return fail(std::move(error));
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return b != 0 && a > kMost / b ? kMost : a * b;
}

// A number in plain digits, or the largest there is for what is larger; nullopt for all else.
std::optional<std::uint64_t> plain_count(std::string_view raw) noexcept {
  if (raw.empty()) return std::nullopt;
  std::uint64_t count = 0;
  for (const char c : raw) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    count = count > (kMost - digit) / 10 ? kMost : count * 10 + digit;
  }
  return count;
}

bool said(std::string_view raw) noexcept { return !raw.empty() && raw != "null"; }

// nullopt: not said.
Result<std::optional<std::uint64_t>> read(std::string_view member, std::string_view raw) {
  if (!said(raw)) return std::optional<std::uint64_t>();
  const std::optional<std::uint64_t> count = plain_count(raw);
  if (!count || *count == 0)
    return wrong(member, fmt::format("`{}` must be a whole number, 1 or more.", member));
  return count;
}

}  // namespace

Result<OutputHold> hold_output(const OutputAsked& asked, std::uint64_t ceiling, OutputOver over) {
  PENSTOCK_TRY(const std::optional<std::uint64_t> n, read("n", asked.n));
  PENSTOCK_TRY(const std::optional<std::uint64_t> best_of, read("best_of", asked.best_of));
  const std::uint64_t candidates = std::max(n.value_or(1), best_of.value_or(1));
  OutputHold hold;
  // What the provider makes: prompts × max(n, best_of).
  const std::uint64_t choices = times(candidates, std::max<std::uint64_t>(asked.prompts, 1));
  hold.each = ceiling / choices;
  if (hold.each == 0) {
    const std::string_view member = candidates == 1 ? "prompt" : best_of > n ? "best_of" : "n";
    return wrong(member, fmt::format("{} choices do not fit this workload's ceiling of {} output "
                                     "tokens a request.",
                                     choices, ceiling));
  }
  std::uint64_t most = 0;
  hold.unsaid = hold.each;
  const auto take = [&](std::string_view member, std::string_view raw) -> Result<void> {
    PENSTOCK_TRY(const std::optional<std::uint64_t> count, read(member, raw));
    if (!count) return {};
    most = std::max(most, std::min(*count, hold.each));
    hold.unsaid = std::min(hold.unsaid, *count);
    if (*count <= hold.each) return {};
    if (over == OutputOver::kRefuse)
      return wrong(
          member, choices == 1
                      ? fmt::format("`{}` is above this workload's ceiling of {}.", member, ceiling)
                      : fmt::format("`{}` for {} choices is above this workload's ceiling of {} "
                                    "for a request.",
                                    member, choices, ceiling));
    hold.clamped = hold.clamped.empty() ? member : "max_tokens, max_completion_tokens";
    return {};
  };
  PENSTOCK_CHECK(take("max_tokens", asked.max_tokens));
  PENSTOCK_CHECK(take("max_completion_tokens", asked.max_completion_tokens));
  hold.total = times(most == 0 ? hold.each : most, choices);
  return hold;
}

}  // namespace penstock::policy
