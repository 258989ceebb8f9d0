#include "fleet/pace.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/breaker.h"
#include "control/degraded_limit.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"

namespace penstock::fleet {
namespace {

constexpr TimePoint kStart{1000s};

class PaceTest : public testing::Test {
 protected:
  PaceTest() {
    providers_.resize(1);
    providers_[0].state = std::make_shared<ProviderState>(2, 100);
    providers_[0].in_flight_limit = 100;
  }
  void calls(control::Sample sample, int count, TimePoint at) {
    for (ReplicaState& replica : providers_[0].state->replicas)
      for (int i = 0; i < count; ++i)
        replica.breaker.sample(providers_[0].breaker, sample, replica.breaker.generation(), at);
  }
  std::vector<Provider> providers_;
};

TEST_F(PaceTest, QuietProviderIsSound) {
  EXPECT_EQ(pace_of(providers_[0], kStart), control::ProviderPace::kSound);
}

// With a rate of 50 %, a quarter of slow calls is the mark: 5 of 20 and not 4 of 20.
TEST_F(PaceTest, HalfOfTheBreakersRateIsTheMark) {
  calls(control::Sample::kGood, 16, kStart);
  calls(control::Sample::kSlow, 4, kStart);
  EXPECT_EQ(pace_of(providers_[0], kStart), control::ProviderPace::kSound);
  calls(control::Sample::kSlow, 2, kStart);
  EXPECT_EQ(pace_of(providers_[0], kStart), control::ProviderPace::kDegraded);
}

// Each second of it takes a tenth of what is left; batch is kept away; it all comes back.
TEST_F(PaceTest, LimitFallsAndReturns) {
  const ProviderState& state = *providers_[0].state;
  PaceKeeper keeper;
  calls(control::Sample::kGood, 14, kStart);
  calls(control::Sample::kSlow, 6, kStart);
  keeper.tick(providers_, kStart);
  EXPECT_TRUE(state.degraded.load());
  EXPECT_EQ(state.in_flight.limit(), 100U);
  keeper.tick(providers_, kStart + 1s);
  EXPECT_EQ(state.in_flight.limit(), 90U);
  keeper.tick(providers_, kStart + 2s);
  EXPECT_EQ(state.in_flight.limit(), 81U);
  const TimePoint later = kStart + 60s;  // the window is over
  keeper.tick(providers_, later);
  EXPECT_FALSE(state.degraded.load());
  keeper.tick(providers_, later + 100s);
  EXPECT_EQ(state.in_flight.limit(), 100U);
}

// A limit that an operator changes meanwhile is what the share is of.
TEST_F(PaceTest, ChangedLimitTakesEffect) {
  PaceKeeper keeper;
  providers_[0].in_flight_limit = 7;
  keeper.tick(providers_, kStart);
  EXPECT_EQ(providers_[0].state->in_flight.limit(), 7U);
}

}  // namespace
}  // namespace penstock::fleet
