#include "control/ceilings.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

// A refusal by an outer ceiling gives the inner places back, and says who refused.
TEST(Ceilings, AllLetInOrNoneDoes) {
  InFlightLimit workload(5);
  InFlightLimit process(1);
  Ceilings ceilings;
  ceilings.add(workload, Priority::kInteractive);
  ceilings.add(process, Priority::kStandard);
  Entrance first = ceilings.enter();
  ASSERT_TRUE(first.slots.has_value());
  const Entrance second = ceilings.enter();
  EXPECT_FALSE(second.slots.has_value());
  EXPECT_EQ(second.refused_by, 1U);
  EXPECT_EQ(workload.in_flight(), 1U);
  first.slots.reset();
  EXPECT_EQ(workload.in_flight(), 0U);
  EXPECT_EQ(process.in_flight(), 0U);
}

// A workload's own ceiling knows no shares: batch may fill it.
TEST(Ceilings, SharesHoldOnlyWhereTheyBelong) {
  InFlightLimit workload(10);
  InFlightLimit process(100);
  Ceilings ceilings;
  ceilings.add(workload, Priority::kInteractive);
  ceilings.add(process, Priority::kBatch);
  std::vector<Slots> held;
  Entrance entrance = ceilings.enter();
  for (; entrance.slots; entrance = ceilings.enter()) held.push_back(*std::move(entrance.slots));
  EXPECT_EQ(held.size(), 10U);
  EXPECT_EQ(entrance.refused_by, 0U);
}

// Whatever comes and goes, the counters are what is held, and they end at zero.
TEST(Ceilings, CountersFollowTheHolders) {
  const std::uint64_t seed = test::seed_of_test(3);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  InFlightLimit workload(6);
  InFlightLimit tenant(8);
  InFlightLimit process(9);
  std::vector<Slots> held;
  for (int i = 0; i < 3000; ++i) {
    if (rng.below(2) == 0) {
      const auto priority = static_cast<Priority>(rng.below(kPriorityCount));
      Ceilings ceilings;
      ceilings.add(workload, Priority::kInteractive);
      ceilings.add(tenant, priority);
      ceilings.add(process, priority);
      Entrance entrance = ceilings.enter();
      if (entrance.slots) held.push_back(*std::move(entrance.slots));
    } else if (!held.empty()) {
      std::swap(held[rng.below(held.size())], held.back());
      held.pop_back();
    }
    ASSERT_EQ(workload.in_flight(), held.size());
    ASSERT_EQ(process.in_flight(), held.size());
    ASSERT_LE(held.size(), 6U);
  }
  held.clear();
  EXPECT_EQ(tenant.in_flight(), 0U);
}

}  // namespace
}  // namespace penstock::control
