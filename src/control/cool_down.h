#pragma once

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/units.h"

namespace penstock::control {

// A replica that answered 429, 503 or 529 with Retry-After is passed over until then, at most 30 s,
// while something else is eligible. Shared by all workers.
class CoolDown {
 public:
  static constexpr Duration kLongest = 30s;

  // A later word never shortens an earlier one.
  void ask(Duration retry_after, TimePoint now) noexcept {
    const Duration::rep until =
        (now + std::clamp(retry_after, Duration(0), kLongest)).time_since_epoch().count();
    Duration::rep known = until_ns_.load(std::memory_order_relaxed);
    while (known < until &&
           !until_ns_.compare_exchange_weak(known, until, std::memory_order_relaxed)) {
    }
  }
  // Until when it asked to be left alone; nullopt when that is over.
  [[nodiscard]] std::optional<TimePoint> until(TimePoint now) const noexcept {
    const TimePoint at{Duration(until_ns_.load(std::memory_order_relaxed))};
    return now < at ? std::optional(at) : std::nullopt;
  }

 private:
  std::atomic<Duration::rep> until_ns_ = 0;
};

}  // namespace penstock::control
