#include "control/tagged_count.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace penstock::control {
namespace {

// Under a new tag it counts from zero; what comes late for an old one is not taken from the new.
TEST(TaggedCount, BelongsToItsTag) {
  TaggedCount count;
  EXPECT_EQ(count.add(1), 1U);
  EXPECT_EQ(count.add(1), 2U);
  EXPECT_EQ(count.read(2), 0U);
  EXPECT_EQ(count.add(2), 1U);
  count.take_back(1);
  EXPECT_EQ(count.read(2), 1U);
  count.take_back(2);
  count.take_back(2);
  EXPECT_EQ(count.read(2), 0U);
  count.clear(3);
  EXPECT_EQ(count.read(3), 0U);
}

// A count never runs over into its tag.
TEST(TaggedCount, StopsAtItsEnd) {
  TaggedCount count;
  for (std::uint64_t i = 0; i < TaggedCount::kCountMax; ++i) count.add(7);
  EXPECT_EQ(count.add(7), TaggedCount::kCountMax);
  EXPECT_EQ(count.read(7), TaggedCount::kCountMax);
}

// A slice falls out of the sum when its turn comes round again, and eras do not mix.
TEST(SliceRing, SumsItsWindow) {
  SliceRing<3> ring;
  ring.add(0, 0);
  ring.add(0, 1);
  ring.add(0, 2);
  EXPECT_EQ(ring.sum(0, 2, 2), 3U);
  EXPECT_EQ(ring.sum(0, 2, 1), 2U);
  EXPECT_EQ(ring.sum(0, 1, 2), 2U);  // nothing lies before slice 0
  EXPECT_EQ(ring.sum(0, 4, 2), 1U);
  ring.add(0, 3);
  EXPECT_EQ(ring.sum(0, 3, 2), 3U);
  EXPECT_EQ(ring.sum(1, 3, 2), 0U);
  ring.take_back(0, 3);
  EXPECT_EQ(ring.sum(0, 3, 2), 2U);
}

}  // namespace
}  // namespace penstock::control
