#include "control/emergency.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"
#include "control/rate_bucket.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// Hand-computed: a fifth of 50/s, by one gateway and by four.
TEST(Emergency, IsTheShareOfTheLimitDividedByTheGateways) {
  const Rate rate{.units = 50, .per = 1s, .burst = 50};
  const std::optional<BucketShape> alone = emergency_shape(rate, {Ratio{200'000}, 1});
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->burst(), 10U);
  EXPECT_EQ(alone->ticks_per_unit(), std::uint64_t{64} * 100'000'000);
  const std::optional<BucketShape> four = emergency_shape(rate, {Ratio{200'000}, 4});
  ASSERT_TRUE(four);
  EXPECT_EQ(four->burst(), 2U);
  EXPECT_EQ(four->ticks_per_unit(), std::uint64_t{64} * 400'000'000);
}

TEST(Emergency, LeavesOneAtATimeOfTheSmallest) {
  const std::optional<BucketShape> shape =
      emergency_shape({.units = 1, .per = 60s, .burst = 4}, {Ratio{200'000}, 3});
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->burst(), 1U);
  RateBucket bucket;
  EXPECT_EQ(bucket.take(*shape, kStart, 1).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(*shape, kStart, 1).wait, 15min);
}

TEST(Emergency, OfNothingIsNothing) {
  EXPECT_EQ(emergency_shape({.units = 9, .per = 1s, .burst = 9}, {Ratio{0}, 1}), std::nullopt);
  EXPECT_EQ(emergency_ceiling(100, {Ratio{0}, 1}), 0U);
}

// The largest numbers the config admits keep their rate to within one part in a million.
TEST(Emergency, HoldsTheExtremes) {
  const std::optional<BucketShape> fast = emergency_shape(
      {.units = 3'600'000'000, .per = 1h, .burst = 1'000'000'000}, {Ratio{1'000'000}, 10'000});
  ASSERT_TRUE(fast);
  EXPECT_EQ(fast->burst(), 100'000U);
  EXPECT_EQ(fast->ticks_per_unit(), std::uint64_t{64} * 10'000'000);
  const std::optional<BucketShape> slow =
      emergency_shape({.units = 1, .per = 1h, .burst = 1}, {Ratio{1}, 10'000});
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->burst(), 1U);
}

TEST(Emergency, CeilingIsRoundedDownButLeavesOne) {
  EXPECT_EQ(emergency_ceiling(256, {Ratio{200'000}, 3}), 17U);
  EXPECT_EQ(emergency_ceiling(4, {Ratio{200'000}, 3}), 1U);
  EXPECT_EQ(emergency_ceiling(256, {Ratio{1'000'000}, 1}), 256U);
}

}  // namespace
}  // namespace penstock::control
