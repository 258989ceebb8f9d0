#include "control/closed.h"

#include <cstddef>
#include <optional>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

TEST(Closed, BelievesARefusalUntilItsWaitIsOver) {
  Closed closed;
  EXPECT_EQ(closed.refused_by(kStart), std::nullopt);
  closed.close(kStart, 20ms, 2);
  EXPECT_EQ(closed.refused_by(kStart + 19ms), std::optional<std::size_t>(2));
  EXPECT_EQ(closed.refused_by(kStart + 20ms), std::nullopt);
}

// However long the wait, what others gave back is asked for soon.
TEST(Closed, BelievesNoRefusalForLong) {
  Closed closed;
  closed.close(kStart, 1h, 0);
  EXPECT_EQ(closed.refused_by(kStart + 99ms), std::optional<std::size_t>(0));
  EXPECT_EQ(closed.refused_by(kStart + 100ms), std::nullopt);
}

}  // namespace
}  // namespace penstock::control
