#include "base/byte_budget.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock {
namespace {

// The bound is inclusive, and a refusal changes nothing.
TEST(ByteBudget, GivesUpToItsLimit) {
  ByteBudget budget(100_B);
  const std::optional<ByteLease> all = budget.take(100_B);
  ASSERT_TRUE(all);
  EXPECT_FALSE(budget.take(1_B));
  EXPECT_EQ(budget.used(), 100_B);
  EXPECT_TRUE(budget.take(0_B));
}

// Memory is given back with its lease, wherever that was moved to.
TEST(ByteBudget, GetsBackWhatALeaseHeld) {
  ByteBudget budget(100_B);
  {
    ByteLease outer;
    {
      std::optional<ByteLease> lease = budget.take(60_B);
      ASSERT_TRUE(lease);
      outer = *std::move(lease);
    }
    EXPECT_EQ(budget.used(), 60_B);
    std::optional<ByteLease> other = budget.take(40_B);
    ASSERT_TRUE(other);
    outer = *std::move(other);  // the 60 go back
    EXPECT_EQ(budget.used(), 40_B);
    const ByteLease moved = std::move(outer);
    EXPECT_EQ(moved.bytes(), 40_B);
  }
  EXPECT_EQ(budget.used(), 0_B);
}

// A growing body is charged step by step against the same bound.
TEST(ByteBudget, ALeaseGrowsWithinTheLimit) {
  ByteBudget budget(100_B);
  std::optional<ByteLease> lease = budget.take(10_B);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->grow(90_B));
  EXPECT_FALSE(lease->grow(1_B));
  EXPECT_EQ(lease->bytes(), 100_B);
  lease.reset();
  EXPECT_EQ(budget.used(), 0_B);
}

// A lease of nobody's memory cannot grow: it would be charged to nothing.
TEST(ByteBudget, AnEmptyLeaseDoesNotGrow) {
  ByteLease none;
  EXPECT_FALSE(none.grow(1_B));
  EXPECT_EQ(none.bytes(), 0_B);
}

// A Content-Length may be any 64-bit number; the sum must not wrap.
TEST(ByteBudget, HugeRequestsDoNotWrapAround) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  ByteBudget budget(Bytes{kMax});
  const std::optional<ByteLease> some = budget.take(10_B);
  ASSERT_TRUE(some);
  EXPECT_FALSE(budget.take(Bytes{kMax}));
  EXPECT_FALSE(budget.take(Bytes{kMax - 9}));
  EXPECT_TRUE(budget.take(Bytes{kMax - 10}));
  ByteBudget none(0_B);
  EXPECT_FALSE(none.take(1_B));
}

// A body that grows is charged ahead in steps; what did not fit leaves the lease as it was.
TEST(ByteBudget, RaisesALeaseInSteps) {
  ByteBudget budget(10_B);
  {
    ByteLease lease;
    EXPECT_TRUE(budget.raise(lease, 5_B, 4_B));
    EXPECT_EQ(lease.bytes(), 8_B);
    EXPECT_TRUE(budget.raise(lease, 8_B, 4_B));
    EXPECT_FALSE(budget.raise(lease, 9_B, 4_B));
    EXPECT_EQ(budget.used(), 8_B);
  }
  EXPECT_EQ(budget.used(), 0_B);
}

}  // namespace
}  // namespace penstock
