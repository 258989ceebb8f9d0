#include "control/peak_ewma.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ratio>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/balancer.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

using test::draw;
constexpr TimePoint kStart{1h};

double ms(std::optional<Duration> cost) {
  return std::chrono::duration<double, std::milli>(cost.value()).count();
}

// Up at once, down by e^(−t/τ): hand-computed at half of τ.
TEST(PeakEwma, RisesAtOnceAndFallsSlowly) {
  PeakEwma ewma;
  EXPECT_FALSE(ewma.cost(kStart).has_value());
  ewma.observe(100ms, kStart);
  EXPECT_EQ(ewma.cost(kStart), 100ms);
  ewma.observe(400ms, kStart);
  EXPECT_EQ(ewma.cost(kStart), 400ms);
  const double kept = std::exp(-0.5);
  EXPECT_NEAR(ms(ewma.cost(kStart + 5s)), 400 * kept, 0.01);
  ewma.observe(100ms, kStart + 5s);
  EXPECT_NEAR(ms(ewma.cost(kStart + 5s)), 400 * kept + 100 * (1 - kept), 0.01);
  ewma.observe(0ms, kStart + 5s);
  EXPECT_GT(ewma.cost(kStart + 1h), 0ms);  // decayed to nothing is still a history
}

// A fault costs twice what the replica does, at least a second: failing fast is not being fast.
TEST(PeakEwma, AFaultIsExpensive) {
  PeakEwma ewma;
  ewma.observe_fault(kStart);
  EXPECT_EQ(ewma.cost(kStart), 1s);
  ewma.observe(3s, kStart);
  ewma.observe_fault(kStart);
  EXPECT_EQ(ewma.cost(kStart), 6s);
}

// A worker whose reading of the time is a little older than the word's must not see it decayed.
TEST(PeakEwma, TimeMaySeemToGoBack) {
  PeakEwma ewma;
  ewma.observe(100ms, kStart);
  EXPECT_EQ(ewma.cost(kStart - 1s), 100ms);
  ewma.observe(2h, kStart - 1s);  // beyond 32 bits of microseconds: held at the end
  EXPECT_NEAR(ms(ewma.cost(kStart - 1s)), 4'294'967, 1);
}

// The cost never leaves the range of what was observed, whatever the schedule.
TEST(PeakEwma, StaysBetweenZeroAndThePeak) {
  const std::uint64_t seed = test::seed_of_test(12);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  PeakEwma ewma;
  TimePoint now = kStart;
  Duration peak{};
  for (int i = 0; i < 5000; ++i) {
    now += Duration(rng.below(2'000'000'000));
    const Duration seen(1000 + static_cast<std::int64_t>(rng.below(3'000'000'000)));
    peak = std::max(peak, seen);
    ewma.observe(seen, now);
    ASSERT_GE(*ewma.cost(now), seen / 1000);
    ASSERT_LE(*ewma.cost(now), peak);
  }
}

// A large prompt's time is not a slow replica's: 16 KiB count a quarter.
TEST(PeakEwma, CostsAreComparableBetweenSizes) {
  EXPECT_EQ(per_size(400ms, 100_B), 400ms);
  EXPECT_EQ(per_size(400ms, 4_KiB), 400ms);
  EXPECT_EQ(per_size(400ms, 16_KiB), 100ms);
}

// An attempt without content feeds its age at twice the cost and at each doubling.
TEST(PeakEwma, AgeIsFedAtDoublings) {
  AgeFeed age(100ms);
  EXPECT_EQ(age.due(), 200ms);
  EXPECT_FALSE(age.reached(199ms));
  EXPECT_TRUE(age.reached(200ms));
  EXPECT_EQ(age.due(), 400ms);
  EXPECT_TRUE(age.reached(1700ms));
  EXPECT_EQ(age.due(), 3200ms);
  EXPECT_EQ(AgeFeed(std::nullopt).due(), 1s);
  EXPECT_EQ(AgeFeed(0ms).due(), 1ms);
}

// cost × (in flight + 1): the faster one wins until its queue eats the difference.
TEST(PeakEwmaBalancer, WeighsCostWithTheQueue) {
  std::vector<Candidate> candidates(2);
  candidates[0].cost = 100ms;
  candidates[1] = {.in_flight = 1, .cost = 40ms};
  PeakEwmaBalancer balancer;
  const auto pick = [&](std::uint64_t first) {
    test::ScriptedRng rng{draw(first, 2), draw(0, 1)};
    return balancer.pick(candidates, TriedSet(), rng);
  };
  EXPECT_EQ(pick(0), 1U);
  EXPECT_EQ(pick(1), 1U);
  candidates[1].in_flight = 2;
  EXPECT_EQ(pick(0), 0U);
  EXPECT_EQ(pick(1), 0U);
}

// Without history: the median of the others, and one call at a time.
TEST(PeakEwmaBalancer, AnUnknownReplicaIsTriedOneCallAtATime) {
  std::vector<Candidate> candidates(4);
  candidates[1].cost = 50ms;
  candidates[2].cost = 200ms;
  candidates[3].cost = 300ms;
  PeakEwmaBalancer balancer;
  const auto pick = [&](std::uint64_t second) {  // replica 0 against 1 + second
    test::ScriptedRng rng{draw(0, 4), draw(second, 3)};
    return balancer.pick(candidates, TriedSet(), rng);
  };
  EXPECT_EQ(pick(0), 1U);  // counts as 200 ms
  EXPECT_EQ(pick(2), 0U);
  candidates[0].in_flight = 1;
  candidates[3].in_flight = 50;
  EXPECT_EQ(pick(2), 3U);
}

// With no history at all the emptier one wins, and a tie is drawn.
TEST(PeakEwmaBalancer, NoHistoryAnywhere) {
  std::vector<Candidate> candidates(2);
  candidates[0].in_flight = 2;
  candidates[1].in_flight = 1;
  PeakEwmaBalancer balancer;
  test::ScriptedRng rng{draw(0, 2), draw(0, 1), draw(0, 2), draw(0, 1), draw(1, 2)};
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 1U);
  candidates[0].in_flight = 1;
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 1U);
  candidates.resize(1);
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 0U);
  candidates.clear();
  EXPECT_FALSE(balancer.pick(candidates, TriedSet(), rng).has_value());
}

}  // namespace
}  // namespace penstock::control
