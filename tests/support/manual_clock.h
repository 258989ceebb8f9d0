#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/units.h"

namespace penstock::test {

// Says what time a test says it is. Starts at an odd place, so that nobody relies on zero.
class ManualClock final : public Clock {
 public:
  static constexpr TimePoint kStart{Duration(std::chrono::hours(1) + std::chrono::microseconds(7))};

  [[nodiscard]] TimePoint now() const noexcept override {
    now_ += reading_;
    return now_;
  }
  // 2025-01-01 00:00 UTC at the start; moves with now(), and by its own steps.
  [[nodiscard]] WallTime wall() const noexcept override {
    constexpr WallTime kFirst{std::chrono::seconds(1'735'689'600)};
    return kFirst + std::chrono::floor<std::chrono::microseconds>(now_ - kStart + wall_step_);
  }
  // Moves to `to`; never back.
  void move_to(TimePoint to) noexcept { now_ = std::max(now_, to); }
  // From now on time also passes as it is read, so much each time: work that takes long.
  void set_reading(Duration takes) noexcept { reading_ = takes; }
  // The wall's time jumps, as when somebody sets it.
  void step_wall(Duration by) noexcept { wall_step_ += by; }

 private:
  mutable TimePoint now_ = kStart;
  Duration reading_{};
  Duration wall_step_{};
};

}  // namespace penstock::test
