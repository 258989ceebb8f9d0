#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {

// How many units stand in slices under one limit, over all the callers that it binds: what may pass
// here beyond what its bucket says. Counted by the second in which they were filled, so that units
// whose slice has died count no more, though nobody takes them off. Shared by all workers; never
// waits.
class InHand {
 public:
  // Adds units that are filled at `at`, up to `most` in hand in all; how many.
  [[nodiscard]] std::uint64_t add(TimePoint at, std::uint64_t units, std::uint64_t most) noexcept;
  // Takes off units that had been added for `at`: they were spent, or are not filled after all.
  void take_off(TimePoint at, std::uint64_t units) noexcept;
  [[nodiscard]] std::uint64_t units(TimePoint now) const noexcept;

 private:
  static constexpr std::size_t kSeconds =
      4;  // two live; one between, for a clock that is read late
  std::array<std::atomic<std::uint64_t>, kSeconds> words_{};  // low: units; high: which second
};

}  // namespace penstock::control
