#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "base/units.h"
#include "runtime/thread.h"

namespace penstock::lab {

// When the requests of an open loop begin: fixed before the first of them, evenly spaced.
struct ArrivalPlan {
  TimePoint start{};
  double per_second = 0;
  std::uint64_t count = 0;

  [[nodiscard]] TimePoint due(std::uint64_t number) const noexcept;
  // How many are due before `end`.
  [[nodiscard]] static std::uint64_t count_within(double per_second, Duration time) noexcept;
};

// Says when arrivals are due, to some 100 µs: the loops' timers are too coarse for it. A thread of
// its own, which mostly sleeps.
class Pacer {
 public:
  // Arrivals [first, last) are due. On the pacer's thread; what was missed comes as one range.
  using Due = std::function<void(std::uint64_t first, std::uint64_t last)>;
  // done: called once after the last arrival, or when stopped. clock: outlives the pacer.
  Pacer(const Clock& clock, ArrivalPlan plan, Due due, std::function<void()> done);

  // Any thread; no arrival begins any more, soon.
  void stop() noexcept { thread_.request_stop(); }

 private:
  runtime::Thread thread_;
};

}  // namespace penstock::lab
