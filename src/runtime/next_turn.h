#pragma once

#include <coroutine>

#include "runtime/event_loop.h"

namespace penstock::runtime {

// co_await NextTurn(loop): lets the loop do whatever else is ready, then goes on. For work that is
// long and waits for nothing. Cannot be cancelled, and need not be: the turn comes at once.
class [[nodiscard]] NextTurn {
 public:
  // The loop outlives the wait.
  explicit NextTurn(EventLoop& loop) noexcept : loop_(loop) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    loop_.post([waiter] { waiter.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  EventLoop& loop_;
};

}  // namespace penstock::runtime
