#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace penstock::control {

// Remembers for a moment that shared buckets refused a request, so that a flood of refused ones
// does not become one of questions: until the buckets may have refilled it would be refused again.
// Shared by all workers; never waits.
class Closed {
 public:
  // The longest that a refusal is believed: units that others give back come to light after it.
  static constexpr Duration kLongest = 100ms;

  void close(TimePoint now, Duration wait, std::size_t refused_by) noexcept {
    const std::int64_t until = (now + std::min(wait, kLongest)).time_since_epoch().count();
    word_.store(static_cast<std::uint64_t>(until) << 2 | (refused_by & 3),
                std::memory_order_relaxed);
  }
  // Which bucket refused; nullopt: ask.
  [[nodiscard]] std::optional<std::size_t> refused_by(TimePoint now) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint64_t at = static_cast<std::uint64_t>(now.time_since_epoch().count());
    if (at >= word >> 2) return std::nullopt;
    return word & 3;
  }

 private:
  std::atomic<std::uint64_t> word_ = 0;  // high: until when, in ns; low: which bucket
};

}  // namespace penstock::control
