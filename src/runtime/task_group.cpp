#include "runtime/task_group.h"

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include "runtime/frame_pool.h"
#include "runtime/task.h"

namespace penstock::runtime {

// A coroutine that nobody awaits; its frame frees itself at the end.
struct TaskGroup::Root {
  struct promise_type {
    Root get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
    static void* operator new(std::size_t size) { return FramePool::allocate(size); }
    static void operator delete(void* at, std::size_t size) noexcept {
      FramePool::release(at, size);
    }
  };
};

TaskGroup::Root TaskGroup::run(TaskGroup& group, Task<void> task) {
  {
    Task<void> owned = std::move(task);
    co_await std::move(owned);
  }
  group.ended();
}

void TaskGroup::spawn(Task<void> task) {
  ++running_;
  run(*this, std::move(task));
}

void TaskGroup::ended() noexcept {
  if (--running_ != 0 || !joiner_) return;
  std::exchange(joiner_, {}).resume();
}

}  // namespace penstock::runtime
