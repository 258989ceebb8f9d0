#include "control/retry_budget.h"

#include <chrono>
#include <cstdint>

#include "base/field.h"
#include "base/units.h"

namespace penstock::control {
namespace {

constexpr std::uint64_t kFloor = 3;
constexpr std::uint64_t kWhole = 1'000'000;

std::uint32_t slice(TimePoint now) noexcept {
  return static_cast<std::uint32_t>(
      std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count());
}

}  // namespace

void RetryBudget::started(TimePoint now) noexcept { starts_.add(0, slice(now)); }

// Counts first and looks afterwards, so that of several workers at once the last sees them all.
bool RetryBudget::take(Ratio budget, TimePoint now) noexcept {
  if (budget.ppm == 0) return false;
  const std::uint32_t current = slice(now);
  retries_.add(0, current);
  const std::uint64_t retries = retries_.sum(0, current, kWindowSlices);
  const std::uint64_t starts = starts_.sum(0, current, kWindowSlices - 1);
  if (retries <= kFloor || retries * kWhole <= starts * budget.ppm) return true;
  retries_.take_back(0, current);
  return false;
}

double RetryBudget::ratio(TimePoint now) const noexcept {
  const std::uint64_t starts = starts_.sum(0, slice(now), kWindowSlices - 1);
  const std::uint64_t retries = retries_.sum(0, slice(now), kWindowSlices - 1);
  return starts == 0 ? 0.0 : static_cast<double>(retries) / static_cast<double>(starts);
}

}  // namespace penstock::control
