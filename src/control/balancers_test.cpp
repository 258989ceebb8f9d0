#include "control/balancers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/describe.h"
#include "base/field.h"
#include "base/units.h"
#include "control/balancer.h"
#include "control/participants.h"
#include "control/slow_start.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

using test::draw;

// One row and one word a value, so that what config can name can be made.
TEST(Balancers, TheTableIsTotal) {
  constexpr auto kNames = enum_names(Describe<Balance>{});
  ASSERT_EQ(balancers().size(), kNames.size());
  for (const EnumName<Balance>& name : kNames) {
    EXPECT_EQ(info(name.value).balance, name.value) << name.word;
    EXPECT_NE(info(name.value).make(), nullptr) << name.word;
  }
}

// What no balancer may ever do, over random views: pick an ineligible, weightless or tried replica,
// or nothing although there is one.
TEST(Balancers, PickOnlyWhatMayBePicked) {
  const std::uint64_t seed = test::seed_of_test(8);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (const BalancerInfo& row : balancers()) {
    const std::unique_ptr<Balancer> balancer = row.make();
    for (int i = 0; i < 2000; ++i) {
      std::vector<Candidate> candidates(rng.below(6));
      TriedSet tried;
      bool any = false;
      for (std::size_t t = 0; t < candidates.size(); ++t) {
        candidates[t] = {
            .eligible = rng.below(3) == 0 ? Eligible::kNo : Eligible::kYes,
            .weight = static_cast<std::uint32_t>(rng.below(4)),
            .in_flight = static_cast<std::uint32_t>(rng.below(3)),
            .participation = Ratio{static_cast<std::uint32_t>(100'000 * (1 + rng.below(10)))}};
        if (rng.below(2) == 0) candidates[t].cost = Duration(rng.below(1'000'000'000));
        if (rng.below(4) == 0) tried.add(t);
        any = any || can_be_picked(candidates[t], t, tried);
      }
      const std::optional<ReplicaIndex> picked = balancer->pick(candidates, tried, rng);
      ASSERT_EQ(picked.has_value(), any) << static_cast<int>(row.balance);
      if (picked)
        ASSERT_TRUE(can_be_picked(candidates[*picked], *picked, tried))
            << static_cast<int>(row.balance);
    }
  }
}

// At concurrency 1 every replica gets its turn: ties never go to the first in the list.
TEST(Balancers, EqualReplicasShareEqually) {
  const std::uint64_t seed = test::seed_of_test(9);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (const BalancerInfo& row : balancers()) {
    const std::unique_ptr<Balancer> balancer = row.make();
    const std::vector<Candidate> candidates(4);
    std::array<int, 4> picks{};
    for (int i = 0; i < 4000; ++i) ++picks[*balancer->pick(candidates, TriedSet(), rng)];
    for (const int count : picks) EXPECT_NEAR(count, 1000, 140) << static_cast<int>(row.balance);
  }
}

// A replica tried is out, one beyond the set's range is never in it.
TEST(Balancers, TheTriedSetRemembers) {
  TriedSet tried;
  tried.add(0);
  tried.add(255);
  tried.add(256);
  EXPECT_TRUE(tried.has(0));
  EXPECT_TRUE(tried.has(255));
  EXPECT_FALSE(tried.has(1));
  EXPECT_FALSE(tried.has(256));
  tried.clear();
  EXPECT_FALSE(tried.has(255));
}

// The ramp: a tenth at first, linear, whole at the end or without a slow start.
TEST(SlowStart, RampsFromATenthToTheWhole) {
  EXPECT_EQ(participation(0s, 30s), Ratio{100'000});
  EXPECT_EQ(participation(-1s, 30s), Ratio{100'000});
  EXPECT_EQ(participation(3s, 30s), Ratio{100'000});
  EXPECT_EQ(participation(15s, 30s), Ratio{500'000});
  EXPECT_EQ(participation(30s, 30s), Ratio{1'000'000});
  EXPECT_EQ(participation(0s, 0s), Ratio{1'000'000});
  EXPECT_EQ(participation(0s, 10ns), Ratio{100'000});
}

// One in slow start takes part as often as its share says; the warm ones always.
TEST(SlowStart, HoldsTheNewcomerBack) {
  std::vector<Candidate> candidates(2);
  candidates[1].participation = Ratio{250'000};
  test::ScriptedRng rng{draw(250'000, 1'000'000), draw(249'999, 1'000'000)};
  EXPECT_EQ(Participants(candidates, TriedSet(), rng).indices().size(), 1U);
  EXPECT_EQ(Participants(candidates, TriedSet(), rng).indices().size(), 2U);
}

// When all are in it nobody is held back: no draw is even made.
TEST(SlowStart, IsOffWhenAllAreInIt) {
  std::vector<Candidate> candidates(3);
  for (Candidate& candidate : candidates) candidate.participation = Ratio{100'000};
  test::ScriptedRng none{};
  EXPECT_EQ(Participants(candidates, TriedSet(), none).indices().size(), 3U);
  candidates[0].participation = Ratio{1'000'000};
  candidates[0].eligible = Eligible::kNo;  // the warm one does not count when it cannot be picked
  EXPECT_EQ(Participants(candidates, TriedSet(), none).indices().size(), 2U);
}

}  // namespace
}  // namespace penstock::control
