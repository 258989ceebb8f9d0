#pragma once

#include <coroutine>
#include <cstddef>

#include "base/assert.h"
#include "runtime/task.h"

namespace penstock::runtime {

// Owns tasks that run beside their maker: each spawned task is joined, none outlives the group.
// All on one thread. What a spawned task uses is handed to it by value or outlives the group.
class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup() { PENSTOCK_ASSERT(running_ == 0); }

  // Starts the task at once; it runs until its first wait before this returns. An exception that
  // leaves the task ends the process: tasks turn failures into values.
  void spawn(Task<void> task);

  [[nodiscard]] std::size_t running() const noexcept { return running_; }

  class Join {
   public:
    explicit Join(TaskGroup& group) noexcept : group_(group) {}
    [[nodiscard]] bool await_ready() const noexcept { return group_.running_ == 0; }
    void await_suspend(std::coroutine_handle<> caller) noexcept { group_.joiner_ = caller; }
    void await_resume() const noexcept {}

   private:
    TaskGroup& group_;
  };
  // Waits until every task has ended. One joiner at a time.
  [[nodiscard]] Join join() noexcept { return Join(*this); }

 private:
  struct Root;
  static Root run(TaskGroup& group, Task<void> task);
  void ended() noexcept;

  std::size_t running_ = 0;
  std::coroutine_handle<> joiner_;
};

}  // namespace penstock::runtime
