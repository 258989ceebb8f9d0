#include "control/usual_time.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

TEST(UsualTime, FirstAnswerIsTheWholeTruth) {
  UsualTime usual;
  EXPECT_EQ(usual.value(), 0s);
  usual.observe(80ms);
  EXPECT_NEAR(static_cast<double>(usual.value() / 1us), 80'000, 1);
}

// One outlier moves it by an eighth of the distance: 80 + (880 − 80) ÷ 8.
TEST(UsualTime, OneOutlierMovesItLittle) {
  UsualTime usual;
  usual.observe(80ms);
  usual.observe(880ms);
  EXPECT_NEAR(static_cast<double>(usual.value() / 1us), 180'000, 2);
}

// It follows a lasting change: after 40 answers the old value weighs (7/8)^40, half a percent.
TEST(UsualTime, FollowsALastingChange) {
  UsualTime usual;
  usual.observe(1s);
  for (int i = 0; i < 40; ++i) usual.observe(10ms);
  EXPECT_LT(usual.value(), 16ms);
  EXPECT_GT(usual.value(), 10ms);
}

}  // namespace
}  // namespace penstock::control
