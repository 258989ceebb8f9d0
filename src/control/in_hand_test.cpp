#include "control/in_hand.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

TEST(InHand, HoldsNoMoreThanItMay) {
  InHand in_hand;
  EXPECT_EQ(in_hand.add(kStart, 30, 50), 30U);
  EXPECT_EQ(in_hand.add(kStart, 30, 50), 20U);
  EXPECT_EQ(in_hand.add(kStart + 999ms, 1, 50), 0U);
  EXPECT_EQ(in_hand.add(kStart + 1s, 1, 50), 0U);  // those of the second before may live yet
  in_hand.take_off(kStart, 5);
  EXPECT_EQ(in_hand.add(kStart + 1s, 30, 50), 5U);
  EXPECT_EQ(in_hand.units(kStart + 1s), 50U);
  EXPECT_EQ(in_hand.add(kStart + 1s, 1, 20), 0U);  // a limit that was lowered
}

// Nobody takes them off, and they hinder nobody.
TEST(InHand, ForgetsWhatHasDied) {
  InHand in_hand;
  EXPECT_EQ(in_hand.add(kStart + 999ms, 50, 50), 50U);
  EXPECT_EQ(in_hand.units(kStart + 1999ms), 50U);
  EXPECT_EQ(in_hand.units(kStart + 2s), 0U);
  EXPECT_EQ(in_hand.add(kStart + 2s, 50, 50), 50U);
  in_hand.take_off(kStart, 50);  // of long ago
  EXPECT_EQ(in_hand.units(kStart + 2s), 50U);
  EXPECT_EQ(in_hand.add(kStart + 4s, 50, 50), 50U);  // where the first ones stood
  EXPECT_EQ(in_hand.units(kStart + 4s), 50U);
}

TEST(InHand, TakesNoMoreOffThanThereIs) {
  InHand in_hand;
  EXPECT_EQ(in_hand.add(kStart, 3, UINT64_MAX), 3U);
  in_hand.take_off(kStart, 5);
  EXPECT_EQ(in_hand.units(kStart), 0U);
}

}  // namespace
}  // namespace penstock::control
