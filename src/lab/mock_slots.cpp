#include "lab/mock_slots.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "lab/pause.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::lab {

// Outlives its wait, since the wake comes through the loop. `granted` is the slots' mutex's; the
// rest is touched on the waiter's own thread.
struct MockSlots::Waiter {
  explicit Waiter(runtime::EventLoop& its_loop) : loop(its_loop) {}
  static void stop(void* self) noexcept { static_cast<Waiter*>(self)->alarm->wake_soon(); }

  runtime::EventLoop& loop;
  std::optional<runtime::Alarm> alarm;  // while somebody waits
  bool granted = false;
};

void MockSlots::limit(std::optional<std::uint64_t> slots) {
  const std::lock_guard lock(mutex_);
  limit_ = slots;
  serve_waiters();
}

void MockSlots::give_back() {
  const std::lock_guard lock(mutex_);
  --taken_;
  serve_waiters();
}

void MockSlots::serve_waiters() {
  while (!waiters_.empty() && (!limit_ || taken_ < *limit_)) {
    const std::shared_ptr<Waiter> waiter = std::move(waiters_.front());
    waiters_.pop_front();
    waiter->granted = true;
    ++taken_;
    waiter->loop.post([waiter] {
      if (waiter->alarm) waiter->alarm->wake();
    });
  }
}

runtime::Task<std::optional<MockSlots::Hold>> MockSlots::take(runtime::EventLoop& loop,
                                                              runtime::Cancellation& cancellation) {
  std::shared_ptr<Waiter> waiter;
  {
    const std::lock_guard lock(mutex_);
    if (!limit_ || (taken_ < *limit_ && waiters_.empty())) {
      ++taken_;
    } else {
      waiter = std::make_shared<Waiter>(loop);
      waiter->alarm.emplace(loop);
      waiters_.push_back(waiter);
    }
  }
  if (waiter == nullptr) co_return Hold(*this);
  if (!cancellation.requested()) {
    const runtime::CancellationHook hook(cancellation, &Waiter::stop, waiter.get());
    co_await Pause(waiter->alarm->until(TimePoint::max()));
  }
  waiter->alarm.reset();
  bool granted = false;
  {
    const std::lock_guard lock(mutex_);
    granted = waiter->granted;
    if (!granted) std::erase(waiters_, waiter);
  }
  if (granted) co_return Hold(*this);
  co_return std::nullopt;
}

}  // namespace penstock::lab
