#include "lab/runner/statistics.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace penstock::lab {
namespace {

// Nearest rank: a value that was measured, never one between two.
TEST(Percentile, IsANearestRank) {
  EXPECT_EQ(percentile({}, 500), 0);
  EXPECT_EQ(percentile({7}, 990), 7);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 500), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 501), 3);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 1000), 4);
}

// Ten fair coins, by hand: P(0) = 1/1024, P(1) = 10/1024. Tails of 1 % hold 0 and not 1.
TEST(BinomialInterval, IsExact) {
  const CountInterval coins = binomial_interval(10, 0.5, 0.98);
  EXPECT_EQ(coins.low, 1U);
  EXPECT_EQ(coins.high, 9U);
  EXPECT_TRUE(coins.contains(9));
  EXPECT_FALSE(coins.contains(10));
  const CountInterval sure = binomial_interval(10, 0, 0.99);
  EXPECT_EQ(sure.high, 0U);
  EXPECT_EQ(binomial_interval(10, 1, 0.99).low, 10U);
}

// At sizes of the canary it agrees with the normal approximation to a count or two:
// 500 ± 3.8906 × sqrt(5000 × 0.1 × 0.9) = 500 ± 82.5.
TEST(BinomialInterval, HoldsAtTheCanarysSize) {
  const CountInterval canary = binomial_interval(5000, 0.1, 0.9999);
  EXPECT_NEAR(static_cast<double>(canary.low), 500 - 82.5, 3);
  EXPECT_NEAR(static_cast<double>(canary.high), 500 + 82.5, 3);
}

// The knee is the last rung that was worth climbing; without saturation there is none.
TEST(Knee, IsTheLastRungWorthClimbing) {
  const std::vector<Rung> saturated{{1, 10}, {2, 20}, {4, 39}, {8, 44}, {16, 44}};
  EXPECT_EQ(knee(saturated), 2U);
  const std::vector<Rung> linear{{1, 10}, {2, 20}, {4, 40}};
  EXPECT_EQ(knee(linear), std::nullopt);
  EXPECT_EQ(knee({}), std::nullopt);
  const std::vector<Rung> at_once{{1, 10}, {2, 10}};
  EXPECT_EQ(knee(at_once), 0U);
}

TEST(Slope, IsTheMedianOverAllPairs) {
  EXPECT_EQ(slope({}), 0);
  const std::vector<Point> line{{0, 1}, {1, 3}, {2, 5}};
  EXPECT_DOUBLE_EQ(slope(line), 2);
  const std::vector<Point> outlier{{0, 0}, {1, 1}, {2, 20}, {3, 3}, {4, 4}};
  EXPECT_DOUBLE_EQ(slope(outlier), 1);
  const std::vector<Point> wall{{1, 1}, {1, 5}};
  EXPECT_EQ(slope(wall), 0);
}

// One step is no trend; steady growth is, however small.
TEST(Slope, TellsGrowthFromAStep) {
  std::vector<Point> step;
  std::vector<Point> growth;
  for (int i = 0; i < 100; ++i) {
    step.push_back({static_cast<double>(i), i < 30 ? 20.0 : 21.5});
    growth.push_back({static_cast<double>(i), 20 + 0.001 * i});
  }
  EXPECT_EQ(slope(step), 0);
  EXPECT_NEAR(slope(growth), 0.001, 1e-9);
}

// By hand: means 1 and 2, so (−1 × −1 + 0 + 1 × 2) / 2 with a last point above the line.
TEST(FittedSlope, IsThatOfLeastSquares) {
  EXPECT_EQ(fitted_slope({}), 0);
  const std::vector<Point> line{{0, 1}, {1, 3}, {2, 5}};
  EXPECT_DOUBLE_EQ(fitted_slope(line), 2);
  const std::vector<Point> bent{{0, 1}, {1, 1}, {2, 4}};
  EXPECT_DOUBLE_EQ(fitted_slope(bent), 1.5);
  const std::vector<Point> wall{{1, 1}, {1, 5}};
  EXPECT_EQ(fitted_slope(wall), 0);
}

}  // namespace
}  // namespace penstock::lab
