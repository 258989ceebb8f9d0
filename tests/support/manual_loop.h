#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "base/clock.h"
#include "base/units.h"
#include "runtime/event_loop.h"
#include "runtime/timer.h"
#include "tests/support/manual_clock.h"

namespace penstock::test {

// An event loop that turns only when told to, on virtual time. What was posted runs in the order it
// was posted; time moves from one wake of the timer wheel to the next, and what a timer posted runs
// before time moves on. So the same test always runs in the same order.
class ManualLoop final : public runtime::EventLoop {
 public:
  ManualLoop();
  ManualLoop(const ManualLoop&) = delete;
  ManualLoop& operator=(const ManualLoop&) = delete;
  // Nothing may be left: work that was posted would run on what is gone.
  ~ManualLoop() override;

  void post(std::move_only_function<void()> work) override;
  [[nodiscard]] const Clock& clock() const noexcept override { return clock_; }
  [[nodiscard]] runtime::TimerWheel& timers() noexcept override { return timers_; }
  [[nodiscard]] TimePoint now() const noexcept { return clock_.now(); }
  // As in ManualClock.
  void set_reading(Duration takes) noexcept { clock_.set_reading(takes); }
  void step_wall(Duration by) noexcept { clock_.step_wall(by); }

  // Runs posted work until none is left, at the time it is. Asserts that this ends.
  void run_until_idle();
  // Moves time by `by`, firing what becomes due on the way.
  void advance(Duration by);
  // Moves time until `done` holds, looking after every wake; false when `limit` passed first.
  bool advance_until(const std::function<bool()>& done, Duration limit);

  // Work posted and not run yet.
  [[nodiscard]] std::size_t waiting() const noexcept { return posted_.size(); }

 private:
  bool step(TimePoint until);

  ManualClock clock_;
  runtime::TimerWheel timers_;
  std::deque<std::move_only_function<void()>> posted_;
};

}  // namespace penstock::test
