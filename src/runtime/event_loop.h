#pragma once

#include <coroutine>
#include <functional>
#include <utility>

#include "base/clock.h"
#include "runtime/timer.h"

namespace penstock::runtime {

// One thread's turn-taker: runs what was posted, what arrived and what is due. Everything but
// post() is called on its own thread.
class EventLoop {
 public:
  virtual ~EventLoop() = default;
  // Runs `work` on this loop's thread, never inside the call. Any thread.
  virtual void post(std::move_only_function<void()> work) = 0;
  [[nodiscard]] virtual const Clock& clock() const noexcept = 0;
  [[nodiscard]] virtual TimerWheel& timers() noexcept = 0;
};

// Waits until `due`; ended early by a wake. One waiter; a wake before the wait is kept.
class Alarm {
 public:
  explicit Alarm(EventLoop& loop) : timer_(loop.timers(), &Alarm::fire, this) {}

  // Resumes the waiter before it returns: only where the caller needs nothing of it any more.
  void wake() noexcept {
    woken_ = true;
    fire(this);
  }
  // Resumes the waiter within a tick, never inside the call: for cancellation hooks.
  void wake_soon() noexcept {
    woken_ = true;
    timer_.arm(TimePoint::min());
  }

  // True when woken, false when the time came.
  class Wait {
   public:
    Wait(Alarm& alarm, TimePoint due) noexcept : alarm_(alarm), due_(due) {}
    [[nodiscard]] bool await_ready() const noexcept { return alarm_.woken_; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept {
      alarm_.waiter_ = waiter;
      if (due_ != TimePoint::max()) alarm_.timer_.arm(due_);
    }
    [[nodiscard]] bool await_resume() const noexcept {
      alarm_.timer_.disarm();
      return std::exchange(alarm_.woken_, false);
    }

   private:
    Alarm& alarm_;
    TimePoint due_;
  };
  [[nodiscard]] Wait until(TimePoint due) noexcept { return Wait(*this, due); }

 private:
  static void fire(void* self) noexcept {
    auto& alarm = *static_cast<Alarm*>(self);
    if (alarm.waiter_) std::exchange(alarm.waiter_, {}).resume();
  }
  Timer timer_;
  std::coroutine_handle<> waiter_;
  bool woken_ = false;
};

}  // namespace penstock::runtime
