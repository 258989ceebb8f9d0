#include "gateway/drain.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::gateway {
namespace {

constexpr TimePoint kSignal{Duration(1h)};

// The time-out runs from the end of settling, and the end comes within a second of it.
TEST(DrainTimes, FollowEachOther) {
  const DrainTimes times = drain_times({.settle = 5s, .timeout = 120s}, kSignal);
  EXPECT_EQ(times.settled, kSignal + 5s);
  EXPECT_EQ(times.closed, kSignal + 5050ms);
  EXPECT_EQ(times.given_up, kSignal + 125s);
  EXPECT_EQ(times.over, kSignal + 125400ms);
}

// Whoever settles for no time leaves at once.
TEST(DrainTimes, NoSettlingIsNoWait) {
  const DrainTimes times = drain_times({.settle = 0s, .timeout = 0s}, kSignal);
  EXPECT_EQ(times.closed, kSignal);
  EXPECT_EQ(times.given_up, kSignal);
}

// Nothing is given up before the listeners have closed.
TEST(DrainTimes, StayInOrder) {
  const DrainTimes times = drain_times({.settle = 1s, .timeout = 10ms}, kSignal);
  EXPECT_EQ(times.closed, kSignal + 1050ms);
  EXPECT_EQ(times.given_up, times.closed);
}

}  // namespace
}  // namespace penstock::gateway
