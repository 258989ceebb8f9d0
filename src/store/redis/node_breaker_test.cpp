#include "store/redis/node_breaker.h"

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "store/redis/outage.h"

namespace penstock::store::redis {
namespace {

constexpr TimePoint at(Duration time) { return TimePoint(time); }

TEST(NodeBreaker, OpensWithTheFifthFailureInARow) {
  NodeBreaker breaker;
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker.failed(OutageReason::kAway, at(1s), at(1s)));
  breaker.succeeded();
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(breaker.failed(OutageReason::kAway, at(1s), at(1s)));
  EXPECT_FALSE(breaker.open());
  EXPECT_TRUE(breaker.failed(OutageReason::kAway, at(1s), at(1s)));
  EXPECT_TRUE(breaker.open());
}

// Time-outs count by their time as well, from when the first of them began.
TEST(NodeBreaker, OpensAfterAQuarterSecondOfTimeOuts) {
  NodeBreaker breaker;
  EXPECT_FALSE(breaker.failed(OutageReason::kTimedOut, at(1s), at(1050ms)));
  EXPECT_FALSE(breaker.failed(OutageReason::kTimedOut, at(1100ms), at(1249ms)));
  EXPECT_TRUE(breaker.failed(OutageReason::kTimedOut, at(1200ms), at(1250ms)));
}

TEST(NodeBreaker, AReplyBetweenTimeOutsBeginsTheTimeAnew) {
  NodeBreaker breaker;
  EXPECT_FALSE(breaker.failed(OutageReason::kTimedOut, at(1s), at(1050ms)));
  breaker.succeeded();
  EXPECT_FALSE(breaker.failed(OutageReason::kTimedOut, at(1250ms), at(1300ms)));
}

TEST(NodeBreaker, OpensOnceAndBeginsAnewWhenItCloses) {
  NodeBreaker breaker;
  for (int i = 0; i < 5; ++i) ignore(breaker.failed(OutageReason::kAway, at(1s), at(1s)), "");
  EXPECT_FALSE(breaker.failed(OutageReason::kAway, at(2s), at(2s)));  // it is open already
  breaker.close();
  EXPECT_FALSE(breaker.open());
  EXPECT_FALSE(breaker.failed(OutageReason::kAway, at(3s), at(3s)));
}

}  // namespace
}  // namespace penstock::store::redis
