#include "control/weighted_round_robin.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "control/balancer.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

using test::draw;

std::vector<Candidate> weighing(std::vector<std::uint32_t> weights) {
  std::vector<Candidate> candidates;
  for (const std::uint32_t weight : weights) candidates.push_back({.weight = weight});
  return candidates;
}

std::string picks(WeightedRoundRobin& balancer, Candidates candidates, int count, Rng& rng) {
  std::string names;
  for (int i = 0; i < count; ++i)
    names += static_cast<char>('a' + *balancer.pick(candidates, TriedSet(), rng));
  return names;
}

// Hand-computed, and known from its source: 5, 1, 1 is smooth, not five in a row.
TEST(WeightedRoundRobin, IsSmooth) {
  const std::vector<Candidate> candidates = weighing({5, 1, 1});
  WeightedRoundRobin balancer;
  test::ScriptedRng rng{draw(0, 7)};
  EXPECT_EQ(picks(balancer, candidates, 14, rng), "aabacaaaabacaa");
}

// The phase is a random number of picks, so two workers do not march in step.
TEST(WeightedRoundRobin, BeginsAtARandomPhase) {
  const std::vector<Candidate> candidates = weighing({5, 1, 1});
  WeightedRoundRobin balancer;
  test::ScriptedRng rng{draw(4, 7)};
  EXPECT_EQ(picks(balancer, candidates, 7, rng), "caaaaba");
}

// An ineligible replica's share goes to the others in proportion.
TEST(WeightedRoundRobin, SharesAmongTheEligible) {
  std::vector<Candidate> candidates = weighing({2, 1, 1});
  candidates[1].eligible = Eligible::kNo;
  WeightedRoundRobin balancer;
  test::ScriptedRng rng{draw(0, 4)};
  EXPECT_EQ(picks(balancer, candidates, 6, rng), "acaaca");
}

// Replicas may come and go: it begins anew, and nothing to pick is said.
TEST(WeightedRoundRobin, FollowsTheView) {
  WeightedRoundRobin balancer;
  test::ScriptedRng rng{draw(0, 2), draw(0, 3)};
  EXPECT_EQ(picks(balancer, weighing({1, 1}), 2, rng), "ab");
  EXPECT_EQ(picks(balancer, weighing({1, 1, 1}), 3, rng), "abc");
  EXPECT_FALSE(balancer.pick(weighing({0, 0}), TriedSet(), rng).has_value());
  EXPECT_FALSE(balancer.pick({}, TriedSet(), rng).has_value());
}

// A weightless replica neither turns nor shifts the phase of the others.
TEST(WeightedRoundRobin, AWeightlessReplicaIsNotThere) {
  for (std::uint64_t phase = 0; phase < 3; ++phase) {
    WeightedRoundRobin with;
    WeightedRoundRobin without;
    test::ScriptedRng rng{draw(phase, 3), draw(phase, 3)};
    std::string shifted = picks(without, weighing({2, 1}), 6, rng);
    for (char& name : shifted) ++name;
    EXPECT_EQ(picks(with, weighing({0, 2, 1}), 6, rng), shifted);
  }
}

// Over any random weights, a whole period gives each its exact weight.
TEST(WeightedRoundRobin, AWholePeriodIsExact) {
  const std::uint64_t seed = test::seed_of_test(10);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint32_t> weights(1 + rng.below(8));
    std::uint32_t total = 0;
    for (std::uint32_t& weight : weights)
      total += weight = static_cast<std::uint32_t>(1 + rng.below(40));
    const std::vector<Candidate> candidates = weighing(weights);
    WeightedRoundRobin balancer;
    std::vector<std::uint32_t> counts(weights.size());
    for (std::uint32_t i = 0; i < total; ++i) ++counts[*balancer.pick(candidates, TriedSet(), rng)];
    EXPECT_EQ(counts, weights);
  }
}

}  // namespace
}  // namespace penstock::control
