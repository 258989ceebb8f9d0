#include "control/token_hold.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace penstock::control {
namespace {

TEST(TokenHold, IsTheEstimatedInputAndEveryChoicesCeiling) {
  EXPECT_EQ(estimated_input(0), 0U);
  EXPECT_EQ(estimated_input(1), 1U);
  EXPECT_EQ(estimated_input(4), 1U);
  EXPECT_EQ(estimated_input(5), 2U);
  EXPECT_EQ(tokens_held({.body_bytes = 100, .choices = 1, .output_max = 150}), 175U);
  EXPECT_EQ(tokens_held({.body_bytes = 100, .choices = 3, .output_max = 150}), 475U);
  EXPECT_EQ(tokens_held({.body_bytes = 100, .choices = 0, .output_max = 150}), 175U);
}

// What no bucket holds stays what no bucket holds.
TEST(TokenHold, Saturates) {
  EXPECT_EQ(tokens_held({.body_bytes = 8, .choices = 128, .output_max = UINT64_MAX}), UINT64_MAX);
  EXPECT_EQ(tokens_held({.body_bytes = 8, .choices = 1, .output_max = UINT64_MAX}), UINT64_MAX);
  EXPECT_EQ(tokens_held({.body_bytes = 8, .choices = 1, .output_max = UINT64_MAX - 2}), UINT64_MAX);
}

}  // namespace
}  // namespace penstock::control
