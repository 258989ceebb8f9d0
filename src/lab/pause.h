#pragma once

#include <coroutine>

#include "base/result.h"
#include "runtime/event_loop.h"

namespace penstock::lab {

// A wait that may be ended early and does not tell whether it was.
class [[nodiscard]] Pause {
 public:
  explicit Pause(runtime::Alarm::Wait wait) noexcept : wait_(wait) {}
  [[nodiscard]] bool await_ready() const noexcept { return wait_.await_ready(); }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { wait_.await_suspend(waiter); }
  void await_resume() const noexcept { ignore(wait_.await_resume(), "the caller looks itself"); }

 private:
  runtime::Alarm::Wait wait_;
};

}  // namespace penstock::lab
