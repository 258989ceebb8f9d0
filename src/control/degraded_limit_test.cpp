#include "control/degraded_limit.h"

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// Hand-computed: × 0.9 a second, down to a tenth and no further.
TEST(DegradedLimit, FallsByATenthASecondDownToATenth) {
  DegradedLimit limit;
  limit.tick(ProviderPace::kDegraded, kStart);
  EXPECT_EQ(limit.of(100), 100U);
  EXPECT_EQ(limit.pace(), ProviderPace::kDegraded);
  limit.tick(ProviderPace::kDegraded, kStart + 999ms);
  EXPECT_EQ(limit.of(100), 100U);
  limit.tick(ProviderPace::kDegraded, kStart + 1s);
  EXPECT_EQ(limit.of(100), 90U);
  limit.tick(ProviderPace::kDegraded, kStart + 3s);
  EXPECT_EQ(limit.of(100), 73U);  // 72.9, rounded up
  limit.tick(ProviderPace::kDegraded, kStart + 60s);
  EXPECT_EQ(limit.of(100), 10U);
  EXPECT_EQ(limit.of(1), 1U);
  EXPECT_EQ(limit.of(0), 0U);
}

// Hand-computed: + 10 % of the whole each 10 s, counted from when it became sound.
TEST(DegradedLimit, ReturnsByATenthEachTenSeconds) {
  DegradedLimit limit;
  limit.tick(ProviderPace::kDegraded, kStart);
  limit.tick(ProviderPace::kSound, kStart + 60s);
  EXPECT_EQ(limit.of(100), 10U);
  limit.tick(ProviderPace::kSound, kStart + 69s);
  EXPECT_EQ(limit.of(100), 10U);
  limit.tick(ProviderPace::kSound, kStart + 70s);
  EXPECT_EQ(limit.of(100), 20U);
  limit.tick(ProviderPace::kSound, kStart + 91s);
  EXPECT_EQ(limit.of(100), 40U);
  limit.tick(ProviderPace::kSound, kStart + 1h);
  EXPECT_EQ(limit.share(), Ratio{1'000'000});
}

}  // namespace
}  // namespace penstock::control
