#include "control/call_pace.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

TEST(CallPace, CountsThisSecondAndTheLast) {
  CallPace pace;
  EXPECT_EQ(pace.per_second(kStart), 0U);
  for (int i = 0; i < 5; ++i) pace.note(kStart, 1);
  EXPECT_EQ(pace.per_second(kStart), 5U);
  EXPECT_EQ(pace.per_second(kStart + 1s), 5U);
  pace.note(kStart + 1s, 1);
  EXPECT_EQ(pace.per_second(kStart + 1500ms), 5U);
  EXPECT_EQ(pace.per_second(kStart + 2s), 1U);
  EXPECT_EQ(pace.per_second(kStart + 3s), 0U);
}

TEST(CallPace, FollowsTheMean) {
  CallPace pace;
  EXPECT_EQ(pace.mean(), 1U);
  pace.note(kStart, 1000);
  EXPECT_EQ(pace.mean(), 1000U);
  for (int i = 0; i < 100; ++i) pace.note(kStart, 200);
  EXPECT_NEAR(static_cast<double>(pace.mean()), 200, 5);
  for (int i = 0; i < 200; ++i) pace.note(kStart, 1);
  EXPECT_LE(pace.mean(), 2U);
}

}  // namespace
}  // namespace penstock::control
