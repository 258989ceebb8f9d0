#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/units.h"
#include "runtime/thread.h"

namespace penstock::lab {

// So many requests a second for so long.
struct RatePhase {
  double per_second = 0;
  Duration time{};

  // How many are due before its end.
  [[nodiscard]] std::uint64_t count() const noexcept;
};

// When the requests of an open loop begin: fixed before the first of them, evenly spaced within
// each phase.
struct ArrivalPlan {
  TimePoint start{};
  std::vector<RatePhase> phases = {};

  // number: below count().
  [[nodiscard]] TimePoint due(std::uint64_t number) const noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept;
};

// Says when arrivals are due, to some 100 µs: the loops' timers are too coarse for it. A thread of
// its own, which mostly sleeps.
class Pacer {
 public:
  // Arrivals [first, last) are due. On the pacer's thread; what was missed comes as one range.
  using Due = std::function<void(std::uint64_t first, std::uint64_t last)>;
  // done: called once after the last arrival, or when stopped. clock, plan: outlive the pacer.
  Pacer(const Clock& clock, const ArrivalPlan& plan, Due due, std::function<void()> done);

  // Any thread; no arrival begins any more, soon.
  void stop() noexcept { thread_.request_stop(); }

 private:
  runtime::Thread thread_;
};

}  // namespace penstock::lab
