#include "control/in_flight_limit.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "control/priority.h"

namespace penstock::control {
namespace {

// The ceiling is exact, and a slot moved about is given back once.
TEST(InFlightLimit, AdmitsExactlyAsManyAsItSays) {
  InFlightLimit limit(2);
  std::optional<Slot> first = limit.enter();
  std::optional<Slot> second = limit.enter();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(limit.enter().has_value());
  Slot moved = std::move(*first);
  first.reset();
  EXPECT_EQ(limit.in_flight(), 2U);
  moved = Slot();
  EXPECT_EQ(limit.in_flight(), 1U);
  EXPECT_TRUE(limit.enter().has_value());
}

// Whoever asks elsewhere counts from the moment of asking.
TEST(InFlightLimit, LetsAGuestInAboveIt) {
  InFlightLimit limit(1);
  std::optional<Slot> first = limit.enter();
  InFlightLimit::Guest guest = limit.enter_anyway();
  EXPECT_EQ(guest.count, 2U);
  EXPECT_FALSE(limit.enter_below(2).has_value());
  EXPECT_TRUE(limit.enter_below(3).has_value());
  guest.slot = Slot();
  EXPECT_EQ(limit.in_flight(), 1U);
}

// The classes' marks: ⌈limit × share⌉, so that a small ceiling still lets every class in.
TEST(InFlightLimit, ClassesAreRefusedInTheirOrder) {
  InFlightLimit limit(10);
  std::vector<Slot> held;
  const auto fill = [&](Priority priority) {
    while (std::optional<Slot> slot = limit.enter(priority)) held.push_back(*std::move(slot));
    return limit.in_flight();
  };
  EXPECT_EQ(fill(Priority::kBatch), 7U);
  EXPECT_TRUE(limit.full(Priority::kBatch));
  EXPECT_FALSE(limit.full(Priority::kStandard));
  EXPECT_EQ(fill(Priority::kStandard), 9U);
  EXPECT_EQ(fill(Priority::kInteractive), 10U);
  EXPECT_EQ(mark(1, Priority::kBatch), 1U);
  EXPECT_EQ(mark(3, Priority::kBatch), 3U);
  EXPECT_EQ(mark(UINT32_MAX, Priority::kInteractive), UINT32_MAX);
}

// Lowering a limit cuts nobody off.
TEST(InFlightLimit, ALoweredLimitRefusesNewcomersOnly) {
  InFlightLimit limit(4);
  const std::optional<Slot> first = limit.enter();
  const std::optional<Slot> second = limit.enter();
  limit.set_limit(1);
  EXPECT_FALSE(limit.enter().has_value());
  EXPECT_EQ(limit.in_flight(), 2U);
}

}  // namespace
}  // namespace penstock::control
