#include "control/cool_down.h"

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// Left alone for as long as it asked, at most 30 s, and never shorter for a second word.
TEST(CoolDown, LastsAsLongAsItWasAskedFor) {
  CoolDown cool_down;
  EXPECT_FALSE(cool_down.until(kStart).has_value());
  cool_down.ask(5s, kStart);
  cool_down.ask(1s, kStart);
  EXPECT_EQ(cool_down.until(kStart + 4s), kStart + 5s);
  EXPECT_FALSE(cool_down.until(kStart + 5s).has_value());
  cool_down.ask(1h, kStart + 5s);
  EXPECT_EQ(cool_down.until(kStart + 6s), kStart + 35s);
  CoolDown never;
  never.ask(-1s, kStart);
  EXPECT_FALSE(never.until(kStart).has_value());
}

}  // namespace
}  // namespace penstock::control
