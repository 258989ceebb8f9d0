#include "runtime/task.h"

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "runtime/frame_pool.h"
#include "runtime/task_group.h"

namespace penstock::runtime {
namespace {

// Suspends until a test resumes it.
struct Gate {
  std::coroutine_handle<> waiter;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
  void open() { std::exchange(waiter, {}).resume(); }
};

Task<int> value_of(int value) { co_return value; }
Task<std::unique_ptr<int>> owned(int value) { co_return std::make_unique<int>(value); }
Task<int> thrower() {
  throw std::runtime_error("thrown in a task");
  co_return 0;
}
Task<> throw_nothing_told() {
  throw std::runtime_error("thrown in a task");
  co_return;
}

Task<> store_sum(int& into) { into = co_await value_of(40) + co_await value_of(2); }

// The plain case: values come back to whoever awaits, and tasks compose.
TEST(Task, GivesItsValueToTheAwaiter) {
  TaskGroup group;
  int sum = 0;
  group.spawn(store_sum(sum));
  EXPECT_EQ(sum, 42);
  EXPECT_EQ(group.running(), 0U);
}

Task<> note(bool& ran) {
  ran = true;
  co_return;
}

// Laziness is what makes "awaited where it is made" safe: a dropped task did nothing.
TEST(Task, DoesNothingUntilAwaited) {
  bool ran = false;
  {
    const Task<> task = note(ran);
  }
  EXPECT_FALSE(ran);
}

Task<> store_owned(std::unique_ptr<int>& into) { into = co_await owned(7); }

// Replies and leases are move-only.
TEST(Task, CarriesMoveOnlyValues) {
  TaskGroup group;
  std::unique_ptr<int> into;
  group.spawn(store_owned(into));
  ASSERT_NE(into, nullptr);
  EXPECT_EQ(*into, 7);
}

Task<> catch_both(std::string& what, int& caught) {
  try {
    caught += co_await thrower();
  } catch (const std::runtime_error& error) {
    what = error.what();
    ++caught;
  }
  try {
    co_await throw_nothing_told();
  } catch (const std::runtime_error&) {
    ++caught;
  }
}

// A failure of a third party's library surfaces where the task is awaited, not in the loop.
TEST(Task, PassesExceptionsToTheAwaiter) {
  TaskGroup group;
  std::string what;
  int caught = 0;
  group.spawn(catch_both(what, caught));
  EXPECT_EQ(what, "thrown in a task");
  EXPECT_EQ(caught, 2);
}

Task<> wait_at(Gate& gate, std::shared_ptr<int> held) {
  co_await gate;
  ++*held;
}

Task<> replace(Gate& gate, std::shared_ptr<int> held) {
  Task<> task = wait_at(gate, held);
  task = wait_at(gate, held);
  co_await std::move(task);
}

// Assigning over a task frees the old frame and what it held.
TEST(Task, FreesWhatATaskNeverRunHeld) {
  Gate gate;
  auto held = std::make_shared<int>(0);
  TaskGroup group;
  group.spawn(replace(gate, held));
  EXPECT_EQ(held.use_count(), 3);  // ours, replace()'s and the second task's
  gate.open();
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 1);
}

Task<> finish_at_once() { co_return; }

Task<> await_in_a_loop(int times, int& done) {
  for (int i = 0; i < times; ++i) {
    co_await finish_at_once();
    ++done;
  }
}

// A stream of a million events awaits a million tasks that end at once: resuming without symmetric
// transfer would use a stack frame for each.
TEST(Task, AMillionTransfersDoNotGrowTheStack) {
  TaskGroup group;
  int done = 0;
  group.spawn(await_in_a_loop(1'000'000, done));
  EXPECT_EQ(done, 1'000'000);
}

Task<int> depth(int left) {
  if (left == 0) co_return 0;
  co_return 1 + co_await depth(left - 1);
}
Task<> store_depth(int left, int& into) { into = co_await depth(left); }

// Nor does nesting: frames are on the heap, both on the way down and back.
TEST(Task, DeepNestingDoesNotGrowTheStack) {
  TaskGroup group;
  int reached = 0;
  group.spawn(store_depth(200'000, reached));
  EXPECT_EQ(reached, 200'000);
}

Task<> pass(Gate& gate, std::string& log, char name) {
  log += name;
  co_await gate;
  log += static_cast<char>(name - 'a' + 'A');
}

Task<> join_and_tell(TaskGroup& group, std::string& log) {
  co_await group.join();
  log += '!';
}

// Spawned tasks run up to their first wait at once, and join() waits for the last one.
TEST(TaskGroup, JoinsEveryTask) {
  Gate first;
  Gate second;
  std::string log;
  TaskGroup group;
  TaskGroup outer;
  group.spawn(pass(first, log, 'a'));
  group.spawn(pass(second, log, 'b'));
  EXPECT_EQ(log, "ab");
  EXPECT_EQ(group.running(), 2U);
  outer.spawn(join_and_tell(group, log));
  second.open();
  EXPECT_EQ(log, "abB");
  first.open();
  EXPECT_EQ(log, "abBA!");
  EXPECT_EQ(group.running(), 0U);
  EXPECT_EQ(outer.running(), 0U);
}

// Nothing to wait for: a joiner must not hang.
TEST(TaskGroup, JoinOfAnEmptyGroupIsImmediate) {
  std::string log;
  TaskGroup group;
  TaskGroup outer;
  outer.spawn(join_and_tell(group, log));
  EXPECT_EQ(log, "!");
}

Task<> join_and_end(std::unique_ptr<TaskGroup>& group, bool& ended) {
  co_await group->join();
  group.reset();
  ended = true;
}

// A server ends its group as soon as it was joined, while the last task is still returning.
TEST(TaskGroup, MayEndInItsJoiner) {
  Gate gate;
  std::string log;
  auto group = std::make_unique<TaskGroup>();
  group->spawn(pass(gate, log, 'a'));
  TaskGroup outer;
  bool ended = false;
  outer.spawn(join_and_end(group, ended));
  gate.open();
  EXPECT_TRUE(ended);
}

Task<> spawn_more(TaskGroup& group, int left, int& ran) {
  ++ran;
  if (left > 0) group.spawn(spawn_more(group, left - 1, ran));
  co_return;
}

// A task may start others in its own group.
TEST(TaskGroup, TasksMaySpawnIntoTheirGroup) {
  TaskGroup group;
  int ran = 0;
  group.spawn(spawn_more(group, 50, ran));
  EXPECT_EQ(ran, 51);
  EXPECT_EQ(group.running(), 0U);
}

// A group that ends with work under way is a fault of ours, found at once.
TEST(TaskGroupDeathTest, MayNotEndBeforeItsTasks) {
  EXPECT_DEATH(
      {
        Gate gate;
        std::string log;
        TaskGroup group;
        group.spawn(pass(gate, log, 'a'));
      },
      "running_ == 0");
}

// Each size is served with writable memory and can be given back in any order, more often than a
// list keeps.
TEST(FramePool, ServesEverySize) {
  for (const std::size_t size : {1U, 127U, 128U, 129U, 3071U, 3072U, 3073U, 100'000U}) {
    std::array<void*, 100> frames{};
    for (void*& frame : frames) {
      frame = FramePool::allocate(size);
      std::memset(frame, 0xab, size);
    }
    for (void* frame : frames) FramePool::release(frame, size);
  }
}

}  // namespace
}  // namespace penstock::runtime
