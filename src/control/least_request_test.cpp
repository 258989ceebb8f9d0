#include "control/least_request.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "control/balancer.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

using test::draw;

// Of the two drawn, the one with less in flight for its weight.
TEST(LeastRequest, TheLessLoadedOfTwoWins) {
  std::vector<Candidate> candidates(3);
  candidates[0].in_flight = 4;
  candidates[1].in_flight = 3;
  candidates[2] = {.weight = 2, .in_flight = 5};
  LeastRequest balancer;
  test::ScriptedRng rng{draw(0, 3), draw(0, 2),   // 0 and 1
                        draw(1, 3), draw(1, 2),   // 1 and 2: 3 against 2.5
                        draw(2, 3), draw(0, 2)};  // 2 and 0
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 1U);
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 2U);
  EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), 2U);
}

// A tie goes by weight, at random: 1 to 3.
TEST(LeastRequest, TiesGoByWeight) {
  std::vector<Candidate> candidates(2);
  candidates[1].weight = 3;
  LeastRequest balancer;
  for (std::uint64_t drawn = 0; drawn < 4; ++drawn) {
    test::ScriptedRng rng{draw(0, 2), draw(0, 1), draw(drawn, 4)};
    EXPECT_EQ(balancer.pick(candidates, TriedSet(), rng), drawn == 0 ? 0U : 1U);
  }
}

// One left is taken without a draw; none is said.
TEST(LeastRequest, OneAndNone) {
  std::vector<Candidate> candidates(2);
  TriedSet tried;
  tried.add(1);
  LeastRequest balancer;
  test::ScriptedRng none{};
  EXPECT_EQ(balancer.pick(candidates, tried, none), 0U);
  tried.add(0);
  EXPECT_FALSE(balancer.pick(candidates, tried, none).has_value());
}

// A replica that hangs fills up and is then all but left alone: two choices see it.
TEST(LeastRequest, AHangingReplicaIsAvoided) {
  const std::uint64_t seed = test::seed_of_test(11);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  std::vector<Candidate> candidates(3);
  LeastRequest balancer;
  std::size_t to_hanging = 0;
  for (int i = 0; i < 1000; ++i) {
    const ReplicaIndex picked = *balancer.pick(candidates, TriedSet(), rng);
    if (picked != 0) continue;  // the others answer at once
    ++candidates[0].in_flight;
    ++to_hanging;
  }
  EXPECT_LE(to_hanging, 1U);
}

}  // namespace
}  // namespace penstock::control
