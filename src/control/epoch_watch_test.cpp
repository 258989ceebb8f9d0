#include "control/epoch_watch.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

TEST(EpochWatch, RemembersTheLastAndItsHighestCount) {
  EpochWatch watch;
  EXPECT_EQ(watch.seen(kStart).id, 0U);
  watch.note({7, 3}, kStart);
  watch.note({7, 2}, kStart);
  EXPECT_EQ(watch.seen(kStart).id, 7U);
  EXPECT_EQ(watch.seen(kStart).sequence, 3U);
  const std::uint32_t before = watch.generation();
  watch.note({8, 1}, kStart);
  EXPECT_EQ(watch.seen(kStart).sequence, 1U);
  EXPECT_NE(watch.generation(), before);
}

// An epoch that went unused may have expired at the store, which is no loss.
TEST(EpochWatch, ForgetsBeforeTheStoreDoes) {
  EpochWatch watch;
  watch.note({7, 3}, kStart);
  EXPECT_EQ(watch.seen(kStart + 12h - 1ns).id, 7U);
  EXPECT_EQ(watch.seen(kStart + 12h).id, 0U);
  watch.note({7, 4}, kStart + 13h);
  EXPECT_EQ(watch.seen(kStart + 14h).id, 7U);
}

}  // namespace
}  // namespace penstock::control
