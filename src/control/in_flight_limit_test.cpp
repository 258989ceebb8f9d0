#include "control/in_flight_limit.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace penstock::control {
namespace {

// The ceiling is exact, and a slot moved about is given back once.
TEST(InFlightLimit, AdmitsExactlyAsManyAsItSays) {
  InFlightLimit limit(2);
  std::optional<Slot> first = limit.enter();
  std::optional<Slot> second = limit.enter();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(limit.enter().has_value());
  Slot moved = *std::move(first);
  first.reset();
  EXPECT_EQ(limit.in_flight(), 2U);
  moved = Slot();
  EXPECT_EQ(limit.in_flight(), 1U);
  EXPECT_TRUE(limit.enter().has_value());
}

}  // namespace
}  // namespace penstock::control
