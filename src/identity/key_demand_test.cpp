#include "identity/key_demand.h"

#include <cstddef>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::identity {
namespace {

using Advice = KeyDemand::Advice;
using Fetch = KeyDemand::Fetch;

constexpr TimePoint at(Duration since) { return TimePoint(since); }

void end_fetch(KeyDemand& demand, Fetch how = Fetch::kCame) {
  demand.on_fetch_begun();
  demand.on_fetch_ended(how);
}

// The first one fetches, those who come meanwhile wait for that, and then it is over for 30 s.
TEST(KeyDemand, OneFetchInThirtySeconds) {
  KeyDemand demand;
  EXPECT_EQ(demand.on_unknown("a", at(0s)), Advice::kFetch);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(demand.on_unknown("k" + std::to_string(i), at(1s)), Advice::kWait);
  end_fetch(demand);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(demand.on_unknown("k" + std::to_string(i), at(30s - 1ns)), Advice::kRefuse);
  EXPECT_EQ(demand.on_unknown("b", at(30s)), Advice::kFetch);
}

// Periodic fetches cost nobody the one that a rotated key may need.
TEST(KeyDemand, PeriodicFetchesDoNotCount) {
  KeyDemand demand;
  end_fetch(demand);
  EXPECT_EQ(demand.on_unknown("a", at(1ms)), Advice::kFetch);
  end_fetch(demand);
  end_fetch(demand);
  EXPECT_EQ(demand.on_unknown("a", at(29s)), Advice::kRefuse);
  demand.on_fetch_begun();
  EXPECT_EQ(demand.on_unknown("a", at(29s)), Advice::kWait) << "it may bring the key";
}

// One kid again and again is worth one fetch, until another set comes.
TEST(KeyDemand, RemembersWhatIsNotThere) {
  KeyDemand demand;
  EXPECT_EQ(demand.on_unknown("a", at(0s)), Advice::kFetch);
  end_fetch(demand);
  demand.remember("a");
  EXPECT_EQ(demand.on_unknown("a", at(60s)), Advice::kRefuse);
  EXPECT_EQ(demand.on_unknown("b", at(60s)), Advice::kFetch);
  end_fetch(demand, Fetch::kFailed);
  EXPECT_EQ(demand.on_unknown("a", at(120s)), Advice::kRefuse) << "a failed fetch tells nothing";
  end_fetch(demand);
  EXPECT_EQ(demand.on_unknown("a", at(120s)), Advice::kFetch);
}

TEST(KeyDemand, RemembersABoundedNumber) {
  KeyDemand demand;
  constexpr std::size_t kMany = KeyDemand::kUnknownMax + 10;
  for (std::size_t i = 0; i < kMany; ++i) demand.remember(std::to_string(i));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    KeyDemand copy = demand;
    if (copy.on_unknown(std::to_string(i), at(0s)) == Advice::kRefuse) ++refused;
  }
  EXPECT_EQ(refused, KeyDemand::kUnknownMax);
  KeyDemand last = demand;
  EXPECT_EQ(last.on_unknown(std::to_string(kMany - 1), at(0s)), Advice::kRefuse);
  EXPECT_EQ(demand.on_unknown("0", at(0s)), Advice::kFetch) << "the oldest was replaced";
}

// Without any set, any token may ask for one, at the same price.
TEST(KeyDemand, AnySetIsAskedForAtTheSamePrice) {
  KeyDemand demand;
  EXPECT_EQ(demand.on_unknown(std::nullopt, at(0s)), Advice::kFetch);
  end_fetch(demand, Fetch::kFailed);
  EXPECT_EQ(demand.on_unknown(std::nullopt, at(29s)), Advice::kRefuse);
  EXPECT_EQ(demand.on_unknown("a", at(30s)), Advice::kFetch);
}

}  // namespace
}  // namespace penstock::identity
