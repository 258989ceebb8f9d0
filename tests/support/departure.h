#pragma once

#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/timer.h"

namespace penstock::test {

// A client that leaves at some moment, or never: what it asked for is cancelled then. On its loop's
// thread; stays where it is.
class Departure {
 public:
  explicit Departure(runtime::EventLoop& loop)
      : timer_(
            loop.timers(),
            [](void* self) {
              static_cast<runtime::Cancellation*>(self)->request(runtime::StopReason::kClientGone);
            },
            &cancellation_) {}
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;
  ~Departure() = default;

  void leave_at(TimePoint when) { timer_.arm(when); }
  [[nodiscard]] runtime::Cancellation& cancellation() noexcept { return cancellation_; }

 private:
  runtime::Cancellation cancellation_;
  runtime::Timer timer_;
};

}  // namespace penstock::test
