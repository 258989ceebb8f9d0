#pragma once

#include <algorithm>

#include "base/field.h"
#include "base/units.h"

namespace penstock::control {

// The probability with which a replica takes part in a pick, so long after it came back:
// max(0.1, t / slow_start), at most 1. Without a slow start: 1.
[[nodiscard]] constexpr Ratio participation(Duration since, Duration slow_start) noexcept {
  constexpr std::int64_t kWhole = 1'000'000;
  if (since >= slow_start) return Ratio{kWhole};
  // In microseconds, so that the product fits for any slow start below 100 days.
  const std::int64_t ppm =
      std::max(Duration(0), since) / 1us * kWhole / std::max<std::int64_t>(1, slow_start / 1us);
  return Ratio{static_cast<std::uint32_t>(std::max(kWhole / 10, ppm))};
}

}  // namespace penstock::control
