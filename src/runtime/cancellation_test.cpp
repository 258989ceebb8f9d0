#include "runtime/cancellation.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/units.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/manual_loop.h"

namespace penstock::runtime {
namespace {

void count(void* counter) { ++*static_cast<int*>(counter); }

// Every wait that is registered is ended, once; the first reason stays.
TEST(Cancellation, RunsEachHookOnceAndKeepsTheFirstReason) {
  Cancellation cancellation;
  int called = 0;
  const CancellationHook first(cancellation, count, &called);
  const CancellationHook second(cancellation, count, &called);
  EXPECT_FALSE(cancellation.requested());
  cancellation.request(StopReason::kShutdown);
  cancellation.request(StopReason::kClientGone);
  EXPECT_EQ(called, 2);
  EXPECT_EQ(cancellation.reason(), StopReason::kShutdown);
}

// A wait that ended well must not be told later.
TEST(Cancellation, ForgetsAHookThatEnded) {
  Cancellation cancellation;
  int called = 0;
  const CancellationHook before(cancellation, count, &called);
  {
    const CancellationHook between(cancellation, count, &called);
  }
  const CancellationHook after(cancellation, count, &called);
  cancellation.request(StopReason::kShutdown);
  EXPECT_EQ(called, 2);
}

// Whoever begins to wait after the stop looks at requested(); a late hook is not called.
TEST(Cancellation, DoesNotCallAHookMadeAfterTheStop) {
  Cancellation cancellation;
  cancellation.request(StopReason::kClientGone);
  int called = 0;
  const CancellationHook late(cancellation, count, &called);
  cancellation.request(StopReason::kShutdown);
  EXPECT_EQ(called, 0);
}

struct Ends {
  std::optional<CancellationHook> other;
  int called = 0;
  static void call(void* self) {
    auto& ends = *static_cast<Ends*>(self);
    ++ends.called;
    ends.other.reset();
  }
};

// Ending one wait may end another one that has not been told yet.
TEST(Cancellation, AHookMayEndOthers) {
  Cancellation cancellation;
  int called = 0;
  Ends ends;
  ends.other.emplace(cancellation, count, &called);
  const CancellationHook hook(cancellation, &Ends::call, &ends);  // told first
  cancellation.request(StopReason::kShutdown);
  EXPECT_EQ(ends.called, 1);
  EXPECT_EQ(called, 0);
}

struct MakesOne {
  Cancellation& cancellation;
  std::optional<CancellationHook> made;
  int called = 0;
  static void call(void* self) {
    auto& makes = *static_cast<MakesOne*>(self);
    makes.made.emplace(makes.cancellation, count, &makes.called);
  }
};

// A hook made while hooks run came before the request ended: it is told as well, so that no wait
// begun by a hook is left alone.
TEST(Cancellation, AHookMadeWhileHooksRunIsTold) {
  Cancellation cancellation;
  MakesOne makes{.cancellation = cancellation, .made = std::nullopt};
  const CancellationHook hook(cancellation, &MakesOne::call, &makes);
  cancellation.request(StopReason::kShutdown);
  EXPECT_EQ(makes.called, 1);
}

Task<> wait(Alarm& alarm, TimePoint due, std::string& log) {
  log += co_await alarm.until(due) ? "woken " : "due ";
}

// The time comes.
TEST(Alarm, TellsThatTheTimeCame) {
  test::ManualLoop loop;
  Alarm alarm(loop);
  TaskGroup group;
  std::string log;
  group.spawn(wait(alarm, loop.now() + 1s, log));
  loop.advance(999ms);
  EXPECT_EQ(log, "");
  loop.advance(5ms);
  EXPECT_EQ(log, "due ");
}

// A wake comes first, inside the call; the timer is forgotten.
TEST(Alarm, IsEndedByAWake) {
  test::ManualLoop loop;
  Alarm alarm(loop);
  TaskGroup group;
  std::string log;
  group.spawn(wait(alarm, loop.now() + 1s, log));
  alarm.wake();
  EXPECT_EQ(log, "woken ");
  EXPECT_EQ(loop.timers().armed(), 0U);
}

// A wake that comes before the wait is kept, once.
TEST(Alarm, KeepsAWakeThatCameEarly) {
  test::ManualLoop loop;
  Alarm alarm(loop);
  TaskGroup group;
  std::string log;
  alarm.wake();
  alarm.wake();
  group.spawn(wait(alarm, TimePoint::max(), log));
  EXPECT_EQ(log, "woken ");
  group.spawn(wait(alarm, loop.now() + 8ms, log));
  EXPECT_EQ(log, "woken ");
  loop.advance(12ms);
  EXPECT_EQ(log, "woken due ");
}

// From a cancellation hook nothing may be resumed inside the call.
TEST(Alarm, WakeSoonComesWithinATickAndNotInside) {
  test::ManualLoop loop;
  Alarm alarm(loop);
  TaskGroup group;
  std::string log;
  group.spawn(wait(alarm, TimePoint::max(), log));
  EXPECT_EQ(loop.timers().armed(), 0U);  // without a due time there is no timer
  alarm.wake_soon();
  EXPECT_EQ(log, "");
  loop.advance(TimerWheel::kTick);
  EXPECT_EQ(log, "woken ");
  EXPECT_EQ(loop.timers().armed(), 0U);
}

}  // namespace
}  // namespace penstock::runtime
