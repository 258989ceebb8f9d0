#include "fleet/selection.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "control/decision.h"
#include "control/health.h"
#include "control/priority.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/standing.h"
#include "fleet/target.h"
#include "tests/support/seeded_rng.h"

namespace penstock::fleet {
namespace {

using control::Place;
using control::Start;
using control::TargetStanding;

constexpr TimePoint kNow{1000s};

// Two providers with two replicas each; a model with the first as its target and the second as its
// fallback.
class SelectionTest : public testing::Test {
 protected:
  SelectionTest() {
    for (const char* name : {"a", "b"}) {
      Provider provider;
      provider.name = name;
      provider.balance = control::Balance::kLeastRequest;
      for (int i = 0; i < 2; ++i)
        provider.replicas.push_back({.origin = {},
                                     .authority = {},
                                     .name = std::string(name) + std::to_string(i),
                                     .base_path = {}});
      provider.state = std::make_shared<ProviderState>(2, 10);
      providers_.push_back(std::move(provider));
      balancers_.push_back(
          {.balancer = control::info(control::Balance::kLeastRequest).make(), .states = {}});
    }
    targets_ = {{.provider = 0, .model = "m"},
                {.provider = 1, .model = "m", .role = control::TargetRole::kFallback}};
  }

  Selection selection(control::Priority priority = control::Priority::kStandard) {
    return Selection({.providers = providers_,
                      .targets = targets_,
                      .balancers = balancers_,
                      .rng = rng_,
                      .retry_budget = Ratio{100'000},
                      .priority = priority});
  }
  ReplicaState& replica(std::size_t provider, std::size_t index) {
    return providers_[provider].state->replicas[index];
  }
  // Opens the breaker at once: five unreachable in a row.
  void trip(ReplicaState& state, TimePoint at = kNow) {
    for (int i = 0; i < 5; ++i)
      state.breaker.sample(control::BreakerConfig(), control::Sample::kUnreachable,
                           state.breaker.generation(), at);
  }

  test::SeededRng rng_{1};
  std::vector<Provider> providers_;
  std::vector<Target> targets_;
  Balancers balancers_;
};

// The charge is there while the placement lives and gone after it, the provider's slot with it.
TEST_F(SelectionTest, PlacementChargesAndGivesBack) {
  Selection one = selection();
  {
    const auto placed = one.place(Start{0}, kNow);
    ASSERT_TRUE(placed);
    EXPECT_EQ(replica(0, placed->replica).in_flight.load(), 1U);
    EXPECT_EQ(providers_[0].state->in_flight.in_flight(), 1U);
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(replica(0, i).in_flight.load(), 0U);
  EXPECT_EQ(providers_[0].state->in_flight.in_flight(), 0U);
}

// A second attempt at the same target goes to the other replica; a third has nowhere to go.
TEST_F(SelectionTest, TriedReplicasAreNotPickedAgain) {
  Selection one = selection();
  const auto first = one.place(Start{0}, kNow);
  EXPECT_EQ(one.standing(0, kNow), TargetStanding::kEligible);
  const auto second = one.place(Start{0}, kNow);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->replica, second->replica);
  EXPECT_EQ(one.standing(0, kNow), TargetStanding::kNothing);
  EXPECT_FALSE(one.place(Start{0}, kNow));
  EXPECT_TRUE(one.can_repeat(0, kNow));
  const auto again = one.place(Start{0, Place::kSame}, kNow);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->replica, second->replica);
}

// Whatever takes a replica out leaves all calls to the other one.
TEST_F(SelectionTest, WhatIsOutIsNotPicked) {
  const auto take_out = [&](int how) {
    ReplicaState& state = replica(0, 0);
    switch (how) {
      case 0: state.drain(); return Standing::kDrained;
      case 1:
        for (int i = 0; i < 3; ++i)
          (void)state.health.on_probe(control::ProbeEnd::kFailed, control::Hysteresis(), kNow);
        return Standing::kUnhealthy;
      case 2: trip(state); return Standing::kBreakerOpen;
      default: state.cool_down.ask(20s, kNow); return Standing::kAskedToWait;
    }
  };
  for (int how = 0; how < 4; ++how) {
    providers_[0].state = std::make_shared<ProviderState>(2, 10);
    EXPECT_EQ(standing_of(providers_[0], 0, kNow), Standing::kEligible);
    const Standing wanted = take_out(how);
    EXPECT_EQ(standing_of(providers_[0], 0, kNow), wanted);
    for (int i = 0; i < 20; ++i) {
      Selection one = selection();
      const auto placed = one.place(Start{0}, kNow);
      ASSERT_TRUE(placed);
      EXPECT_EQ(placed->replica, 1U) << name(wanted);
    }
  }
}

// One that asked to wait is a last resort, and taken when it is all there is.
TEST_F(SelectionTest, AskedToWaitIsTakenLast) {
  replica(0, 0).cool_down.ask(20s, kNow);
  replica(0, 1).drain();
  Selection one = selection();
  EXPECT_EQ(one.standing(0, kNow), TargetStanding::kLastResort);
  const auto placed = one.place(Start{0}, kNow);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->replica, 0U);
  EXPECT_EQ(selection().standing(0, kNow + 21s), TargetStanding::kEligible);
}

// With 10 % half-open the 1st and the 11th request are probes, and the replica gets no other call.
TEST_F(SelectionTest, HalfOpenTakesItsTurns) {
  trip(replica(0, 0));
  const TimePoint later = kNow + 31s;
  EXPECT_EQ(standing_of(providers_[0], 0, later), Standing::kHalfOpen);
  for (int request = 1; request <= 12; ++request) {
    Selection one = selection();
    const auto probe = one.probe_in_turn(later);
    const bool in_turn = request == 1 || request == 11;
    EXPECT_EQ(probe.has_value(), in_turn) << request;
    const auto placed = one.place(Start{probe.value_or(0)}, later);
    ASSERT_TRUE(placed);
    EXPECT_EQ(placed->replica, in_turn ? 0U : 1U) << request;
    EXPECT_EQ(placed->probe.has_value(), in_turn) << request;
  }
  EXPECT_EQ(replica(0, 0).breaker.probes(), 0U);
}

// With nothing else eligible any of the four places will do, and a fifth request finds none.
TEST_F(SelectionTest, AnyFreeProbeWhenNothingElseIsLeft) {
  trip(replica(0, 0));
  replica(0, 1).drain();
  const TimePoint later = kNow + 31s;
  std::vector<Placement> probes;
  for (int i = 0; i < 4; ++i) {
    Selection one = selection();
    EXPECT_EQ(one.standing(0, later), TargetStanding::kLastResort);
    auto placed = one.place(Start{0}, later);
    ASSERT_TRUE(placed);
    probes.push_back(*std::move(placed));
  }
  Selection fifth = selection();
  EXPECT_EQ(fifth.standing(0, later), TargetStanding::kNothing);
  EXPECT_FALSE(fifth.place(Start{0}, later));
  EXPECT_EQ(providers_[0].state->in_flight.in_flight(), 4U);
}

// A probe whose turn came and that is not placed gives its token back.
TEST_F(SelectionTest, UnusedProbeReturns) {
  trip(replica(0, 0));
  const TimePoint later = kNow + 31s;
  {
    Selection one = selection();
    ASSERT_TRUE(one.probe_in_turn(later));
    EXPECT_EQ(replica(0, 0).breaker.probes(), 1U);
  }
  EXPECT_EQ(replica(0, 0).breaker.probes(), 0U);
}

// The classes of requests have their shares of a provider's limit: of 10, batch has 7.
TEST_F(SelectionTest, FullProviderIsNothing) {
  std::vector<Placement> held;
  for (int i = 0; i < 7; ++i) {
    Selection one = selection(control::Priority::kBatch);
    auto placed = one.place(Start{0}, kNow);
    ASSERT_TRUE(placed);
    held.push_back(*std::move(placed));
  }
  Selection batch = selection(control::Priority::kBatch);
  EXPECT_EQ(batch.standing(0, kNow), TargetStanding::kNothing);
  EXPECT_FALSE(batch.place(Start{0}, kNow));
  EXPECT_EQ(batch.verdicts(kNow).front().standing, Standing::kFull);
  EXPECT_TRUE(selection().place(Start{0}, kNow));
}

TEST_F(SelectionTest, DegradedProviderServesNoBatch) {
  providers_[0].state->degraded = true;
  EXPECT_EQ(selection(control::Priority::kBatch).standing(0, kNow), TargetStanding::kNothing);
  EXPECT_EQ(selection().standing(0, kNow), TargetStanding::kEligible);
}

// An operator, a probe or a breaker may take the replica out while a retry waits for it.
TEST_F(SelectionTest, SameReplicaIsLookedAtAgainBehindItsWait) {
  Selection one = selection();
  const std::size_t first = one.place(Start{0}, kNow)->replica;
  ASSERT_TRUE(one.can_repeat(0, kNow));
  replica(0, first).drain();
  EXPECT_FALSE(one.place(Start{0, Place::kSame}, kNow + 1s));
  replica(0, first).enable(kNow + 1s);
  trip(replica(0, first), kNow);
  EXPECT_FALSE(one.place(Start{0, Place::kSame}, kNow + 31s)) << "half-open: that takes a token";
  EXPECT_EQ(replica(0, first).in_flight.load(), 0U);
  EXPECT_EQ(providers_[0].state->in_flight.in_flight(), 0U);
}

// Replicas whose breakers opened together are probed one after the other, not the first for ever.
TEST_F(SelectionTest, HalfOpenReplicasShareTheTurns) {
  targets_ = {{.provider = 0, .model = "m"}, {.provider = 1, .model = "m"}};
  for (std::size_t i = 0; i < 2; ++i) trip(replica(0, i));
  std::vector<std::size_t> probed;
  for (int i = 0; i < 20; ++i) {
    Selection one = selection();
    if (const auto target = one.probe_in_turn(kNow + 31s))
      probed.push_back(one.place(Start{*target}, kNow + 31s)->replica);
  }
  EXPECT_EQ(probed, (std::vector<std::size_t>{0, 1, 0, 1}));
}

// A full provider is the reason only where the replica itself could be had.
TEST_F(SelectionTest, VerdictsPreferWhatOutlastsAFullProvider) {
  providers_[0].state->in_flight.set_limit(0);
  trip(replica(0, 0));
  const std::vector<Verdict> verdicts = selection().verdicts(kNow);
  EXPECT_EQ(verdicts[0].standing, Standing::kBreakerOpen);
  EXPECT_EQ(verdicts[1].standing, Standing::kFull);
}

// Every candidate of every target with any weight is told of, the fallback's too.
TEST_F(SelectionTest, VerdictsNameEveryCandidate) {
  replica(0, 1).drain();
  trip(replica(1, 0));
  const std::vector<Verdict> verdicts = selection().verdicts(kNow);
  ASSERT_EQ(verdicts.size(), 4U);
  EXPECT_EQ(verdicts[0].standing, Standing::kEligible);
  EXPECT_EQ(verdicts[1].standing, Standing::kDrained);
  EXPECT_EQ(verdicts[2].standing, Standing::kBreakerOpen);
  EXPECT_EQ(back_at(providers_[1], 0, kNow), kNow + 30s);
}

// A replica that an operator brings back starts slowly; one that was never out does not.
TEST_F(SelectionTest, ReturningReplicaStartsSlowly) {
  EXPECT_EQ(replica(0, 0).returned_at(), std::nullopt);
  replica(0, 0).enable(kNow);
  EXPECT_EQ(replica(0, 0).returned_at(), std::nullopt);
  replica(0, 0).drain();
  replica(0, 0).enable(kNow);
  EXPECT_EQ(replica(0, 0).returned_at(), kNow);
  int taken = 0;
  for (int i = 0; i < 200; ++i) {
    Selection one = selection();
    const auto placed = one.place(Start{0}, kNow + 1s);
    taken += placed->replica == 0 ? 1 : 0;
  }
  EXPECT_GT(taken, 2);
  EXPECT_LT(taken, 40);  // a tenth of the picks, not a half
}

// Retries spend what starts at the same provider have earned; a refusal is counted.
TEST_F(SelectionTest, CreditIsTheProviders) {
  Selection one = selection();
  one.first_attempt(0, kNow);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(one.take_credit(0, kNow));
  EXPECT_FALSE(one.take_credit(0, kNow));
  EXPECT_TRUE(one.take_credit(1, kNow));
  EXPECT_EQ(one.take_refused(), 1U) << "target 0";
  EXPECT_EQ(one.take_refused(), 0U) << "told once";
}

}  // namespace
}  // namespace penstock::fleet
