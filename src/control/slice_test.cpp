#include "control/slice.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

TEST(Slice, GivesWhatItWasFilledWithForOneSecond) {
  Slice slice;
  EXPECT_FALSE(slice.take(kStart, 1));
  slice.fill(kStart, 3);
  EXPECT_TRUE(slice.take(kStart, 2));
  EXPECT_FALSE(slice.take(kStart, 2));
  EXPECT_EQ(slice.left(kStart), 1U);
  EXPECT_EQ(slice.take(kStart + 1s, 1), kStart);
  slice.fill(kStart, 5);
  EXPECT_FALSE(slice.take(kStart + 1001ms, 1));
  EXPECT_EQ(slice.left(kStart + 1001ms), 0U);
}

// What is drained goes back; what has been dead for long does not.
TEST(Slice, IsDrainedWhileItsUnitsAreStillOut) {
  Slice slice;
  slice.fill(kStart, 5);
  EXPECT_EQ(slice.drain(kStart + 2s).units, 5U);
  EXPECT_EQ(slice.drain(kStart + 2s).units, 0U);
  slice.fill(kStart, 5);
  EXPECT_EQ(slice.drain(kStart + 2001ms).units, 0U);
  EXPECT_FALSE(slice.take(kStart, 1));
}

// Dead units are not revived by the next ones.
TEST(Slice, FillsUpOnlyWhatLives) {
  Slice slice;
  slice.fill(kStart, 5);
  slice.fill(kStart + 500ms, 2);
  EXPECT_EQ(slice.left(kStart + 1500ms), 7U);
  slice.fill(kStart + 1501ms, 1);
  EXPECT_EQ(slice.left(kStart + 1501ms), 1U);
}

TEST(Slice, IsRefilledByOneAtATime) {
  Slice slice;
  EXPECT_TRUE(slice.begin_refill());
  EXPECT_FALSE(slice.begin_refill());
  slice.end_refill();
  EXPECT_TRUE(slice.begin_refill());
}

TEST(Slice, OfOneLimitIsBoundByItsRefillTheRequestsAndItsCapacity) {
  EXPECT_EQ(in_hand_max({.units = 1000, .per = 1s, .burst = 4000}, 1), 100U);
  EXPECT_EQ(in_hand_max({.units = 1000, .per = 1s, .burst = 4000}, 15), 150U);
  EXPECT_EQ(in_hand_max({.units = 1000, .per = 1s, .burst = 1000}, 15), 50U);
}

// Hand-computed: see the header.
TEST(Slice, SizeFollowsRefillRequestsCapacityAndTraffic) {
  const SliceNeed busy{.tightest = {.units = 1000, .per = 1s, .burst = 4000},
                       .smallest = 4000,
                       .mean = 1,
                       .per_second = 5000};
  EXPECT_EQ(slice_units(busy), 100U);
  SliceNeed need = busy;
  need.tightest.units = 100;
  EXPECT_EQ(slice_units(need), 10U);
  need.tightest.units = 99;
  EXPECT_EQ(slice_units(need), 0U);
  need = busy;
  need.smallest = 1000;
  EXPECT_EQ(slice_units(need), 50U);
  need.smallest = 19;
  EXPECT_EQ(slice_units(need), 0U);
  need = busy;
  need.per_second = 7;
  EXPECT_EQ(slice_units(need), 7U);
  need.per_second = 0;
  EXPECT_EQ(slice_units(need), 0U);
  // Tokens: 200k/min are 333 in 100 ms, ten calls of 800 are more, 5 % of the capacity still more.
  need = {.tightest = {.units = 200'000, .per = 60s, .burst = 200'000},
          .smallest = 200'000,
          .mean = 800,
          .per_second = 100};
  EXPECT_EQ(slice_units(need), 8000U);
  need.mean = 5000;
  EXPECT_EQ(slice_units(need), 10'000U);
  need.mean = 20'000;
  EXPECT_EQ(slice_units(need), 0U);
}

}  // namespace
}  // namespace penstock::control
