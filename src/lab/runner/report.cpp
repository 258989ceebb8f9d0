#include "lab/runner/report.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace penstock::lab {

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kPassed: return "passed";
    case Verdict::kFailed: return "failed";
    case Verdict::kInvalid: return "invalid";
  }
  return "invalid";
}

bool Bound::holds(double value) const noexcept {
  switch (kind) {
    case Kind::kAtMost: return value <= high;
    case Kind::kBelow: return value < high;
    case Kind::kAtLeast: return value >= low;
    case Kind::kAbove: return value > low;
    case Kind::kBetween: return value >= low && value <= high;
    case Kind::kEqual: return value == low;
  }
  return false;
}

std::string Bound::text() const {
  switch (kind) {
    case Kind::kAtMost: return "≤ " + number_text(high, unit);
    case Kind::kBelow: return "< " + number_text(high, unit);
    case Kind::kAtLeast: return "≥ " + number_text(low, unit);
    case Kind::kAbove: return "> " + number_text(low, unit);
    case Kind::kBetween: return number_text(low, {}) + " to " + number_text(high, unit);
    case Kind::kEqual: return number_text(low, unit);
  }
  return {};
}

Bound at_most(double limit, std::string_view unit) noexcept {
  return {.low = 0, .high = limit, .kind = Bound::Kind::kAtMost, .unit = unit};
}
Bound at_least(double limit, std::string_view unit) noexcept {
  return {.low = limit, .high = 0, .kind = Bound::Kind::kAtLeast, .unit = unit};
}
Bound above(double limit, std::string_view unit) noexcept {
  return {.low = limit, .high = 0, .kind = Bound::Kind::kAbove, .unit = unit};
}
Bound below(double limit, std::string_view unit) noexcept {
  return {.low = 0, .high = limit, .kind = Bound::Kind::kBelow, .unit = unit};
}
Bound between(double low, double high, std::string_view unit) noexcept {
  return {.low = low, .high = high, .kind = Bound::Kind::kBetween, .unit = unit};
}
Bound exactly(double value, std::string_view unit) noexcept {
  return {.low = value, .high = value, .kind = Bound::Kind::kEqual, .unit = unit};
}

std::string number_text(double value, std::string_view unit) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  if (text == "-0") text = "0";
  return unit.empty() ? text : fmt::format("{} {}", text, unit);
}

void Report::claim(std::string what, const Bound& wanted, double measured, std::string source) {
  claims.push_back({.what = std::move(what),
                    .wanted = wanted.text(),
                    .measured = number_text(measured, wanted.unit),
                    .holds = wanted.holds(measured),
                    .source = std::move(source)});
}

void Report::figure(std::string what, double measured, std::string_view unit, std::string source) {
  claims.push_back({.what = std::move(what),
                    .wanted = {},
                    .measured = number_text(measured, unit),
                    .source = std::move(source)});
}

Verdict Report::verdict() const noexcept {
  const bool proves_something =
      std::ranges::any_of(claims, [](const Claim& claim) { return !claim.figure(); });
  if (!proves_something || !std::ranges::all_of(checks, &Check::holds)) return Verdict::kInvalid;
  return std::ranges::all_of(claims, &Claim::holds) ? Verdict::kPassed : Verdict::kFailed;
}

std::vector<Check> Report::broken() const {
  std::vector<Check> out;
  std::ranges::copy_if(checks, std::back_inserter(out),
                       [](const Check& check) { return !check.holds; });
  return out;
}

}  // namespace penstock::lab
