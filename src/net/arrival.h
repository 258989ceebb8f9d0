#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "base/units.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/timer.h"

namespace penstock::net {

// What ended a wait for input.
enum class Wake : std::uint8_t {
  kInput,  // bytes came, or the connection ended: look at the Input
  kTime,   // the time given has come; the read goes on
  kStop,   // the request was told to stop; the read goes on
};

// Waits for a connection's next bytes, but no longer than until a given time, without cancelling
// the read: it is left standing. One waiter.
class Arrival {
 public:
  Arrival(Input& input, runtime::EventLoop& loop, runtime::Cancellation& cancellation)
      : input_(input),
        cancellation_(cancellation),
        loop_(loop),
        timer_(loop.timers(), &Arrival::on_timer, this),
        hook_(cancellation, &Arrival::on_stop, this) {}
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  ~Arrival() { input_.unwatch(); }

  class [[nodiscard]] Wait {
   public:
    Wait(Arrival& arrival, TimePoint due) noexcept : arrival_(arrival), due_(due) {}
    [[nodiscard]] bool await_ready() { return arrival_.ready(due_); }
    void await_suspend(std::coroutine_handle<> caller) noexcept { arrival_.waiter_ = caller; }
    [[nodiscard]] Wake await_resume() const noexcept { return arrival_.wake_; }

   private:
    Arrival& arrival_;
    TimePoint due_;
  };
  // co_await until(due). Bytes that were there before the call do not count.
  [[nodiscard]] Wait until(TimePoint due) noexcept { return Wait(*this, due); }

 private:
  bool ready(TimePoint due) {
    wake_ = Wake::kInput;
    if (input_.peer_gone()) return true;
    if (cancellation_.requested()) {
      wake_ = Wake::kStop;
      return true;
    }
    arrived_ = false;
    starting_ = true;
    input_.watch(&Arrival::on_input, this);
    starting_ = false;
    if (arrived_) return true;
    due_ = due;
    if (due != TimePoint::max()) timer_.arm(due);
    return false;
  }
  void resume(Wake wake) noexcept {
    if (!waiter_) return;
    wake_ = wake;
    std::exchange(waiter_, {}).resume();
  }
  static void on_input(void* self) noexcept {
    auto& arrival = *static_cast<Arrival*>(self);
    arrival.arrived_ = true;
    if (!arrival.starting_) arrival.resume(Wake::kInput);
  }
  static void on_timer(void* self) noexcept {
    auto& arrival = *static_cast<Arrival*>(self);
    if (arrival.cancellation_.requested()) return arrival.resume(Wake::kStop);
    if (!arrival.waiter_) return;
    if (arrival.due_ > arrival.loop_.clock().now()) return arrival.timer_.arm(arrival.due_);
    arrival.resume(Wake::kTime);
  }
  // Never inline: whoever requests the stop is in the middle of something.
  static void on_stop(void* self) noexcept {
    static_cast<Arrival*>(self)->timer_.arm(TimePoint::min());
  }

  Input& input_;
  runtime::Cancellation& cancellation_;
  runtime::EventLoop& loop_;
  runtime::Timer timer_;
  runtime::CancellationHook hook_;
  std::coroutine_handle<> waiter_;
  TimePoint due_ = TimePoint::max();
  Wake wake_ = Wake::kInput;
  bool arrived_ = false;
  bool starting_ = false;
};

}  // namespace penstock::net
