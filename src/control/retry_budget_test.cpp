#include "control/retry_budget.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr Ratio kTenth{100'000};

int takes(RetryBudget& budget, Ratio ratio, TimePoint now) {
  int taken = 0;
  while (budget.take(ratio, now)) ++taken;
  return taken;
}

// The floor: three retries in ten seconds, whatever the traffic; 0 % removes it.
TEST(RetryBudget, TheFloorIsThreeAndZeroTurnsItOff) {
  RetryBudget budget;
  EXPECT_EQ(budget.ratio(kStart), 0.0);
  EXPECT_FALSE(budget.take(Ratio{0}, kStart));
  EXPECT_EQ(takes(budget, kTenth, kStart), 3);
  EXPECT_EQ(takes(budget, kTenth, kStart + 9s), 0);
  EXPECT_EQ(takes(budget, kTenth, kStart + 11s), 3);
}

// Hand-computed: 100 starts at 10 % pay for ten, 39 for three, 40 for four.
TEST(RetryBudget, AShareOfTheStarts) {
  for (const auto& [starts, retries] : {std::pair{100, 10}, {39, 3}, {40, 4}, {0, 3}}) {
    RetryBudget budget;
    for (int i = 0; i < starts; ++i) budget.started(kStart);
    EXPECT_EQ(takes(budget, kTenth, kStart), retries);
    if (starts == 100) EXPECT_DOUBLE_EQ(budget.ratio(kStart), 0.1);
  }
}

// A full budget means one retry a start.
TEST(RetryBudget, AHundredPercent) {
  RetryBudget budget;
  for (int i = 0; i < 50; ++i) budget.started(kStart);
  EXPECT_EQ(takes(budget, Ratio{1'000'000}, kStart), 50);
}

// The promise itself, over random schedules: in the 10 s up to any retry, exactly as written.
TEST(RetryBudget, NoWindowExceedsIt) {
  const std::uint64_t seed = test::seed_of_test(5);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 20; ++round) {
    RetryBudget budget;
    const Ratio ratio{static_cast<std::uint32_t>(1 + rng.below(1'000'000))};
    std::vector<TimePoint> starts;
    std::vector<TimePoint> retries;
    TimePoint now = kStart;
    for (int i = 0; i < 600; ++i) {
      now += Duration(rng.below(rng.below(20) == 0 ? 9'000'000'000 : 100'000'000));
      if (rng.below(2) == 0) {
        budget.started(now);
        starts.push_back(now);
        continue;
      }
      if (!budget.take(ratio, now)) continue;
      retries.push_back(now);
      std::uint64_t started = 0;
      std::uint64_t retried = 0;
      for (const TimePoint at : starts) started += at > now - 10s ? 1 : 0;
      for (const TimePoint at : retries) retried += at > now - 10s ? 1 : 0;
      ASSERT_TRUE(retried <= 3 || retried * 1'000'000 <= started * ratio.ppm)
          << retried << " retries for " << started << " starts";
    }
  }
}

}  // namespace
}  // namespace penstock::control
