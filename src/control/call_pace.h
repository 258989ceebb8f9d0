#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {

// How many requests come here in a second, and what one of them takes. Shared by all workers; a
// note that meets another may be lost, which a rough figure can stand.
class CallPace {
 public:
  void note(TimePoint now, std::uint64_t units) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint64_t second = second_of(now);
    const std::uint64_t counted = (word & kCountMask) + 1;
    const std::uint64_t next =
        second == word >> kSecondShift
            ? word + (counted > kCountMask ? 0 : 1)
            : second << kSecondShift | of_before(word, second) << kCountBits | 1;
    word_.store(next, std::memory_order_relaxed);
    const std::uint64_t mean = mean_.load(std::memory_order_relaxed);
    // Sixteenths, so that a small mean moves too.
    const std::uint64_t sixteenths = std::min(units, kUnitsMax) * 16;
    mean_.store(mean == 0 ? sixteenths : mean - mean / 16 + sixteenths / 16,
                std::memory_order_relaxed);
  }
  // Of this second or the one before, whichever had more.
  [[nodiscard]] std::uint64_t per_second(TimePoint now) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint64_t second = second_of(now);
    if (second != word >> kSecondShift) return of_before(word, second);
    return std::max(word & kCountMask, word >> kCountBits & kCountMask);
  }
  // Units of a request, over the last sixteen or so; at least 1.
  [[nodiscard]] std::uint64_t mean() const noexcept {
    return std::max<std::uint64_t>(mean_.load(std::memory_order_relaxed) / 16, 1);
  }

 private:
  static constexpr unsigned kCountBits = 20;
  static constexpr unsigned kSecondShift = 2 * kCountBits;
  static constexpr std::uint64_t kCountMask = (std::uint64_t{1} << kCountBits) - 1;
  static constexpr std::uint64_t kUnitsMax = std::uint64_t{1} << 40;

  static std::uint64_t second_of(TimePoint now) noexcept {
    return static_cast<std::uint64_t>(now.time_since_epoch() / 1s) & ((1U << 24) - 1);
  }
  // What the second before `second` counted.
  static std::uint64_t of_before(std::uint64_t word, std::uint64_t second) noexcept {
    return (word >> kSecondShift) + 1 == second ? word & kCountMask : 0;
  }

  std::atomic<std::uint64_t> word_ = 0;  // low: this second's count, the last one's, the second
  std::atomic<std::uint64_t> mean_ = 0;  // in sixteenths of a unit
};

}  // namespace penstock::control
