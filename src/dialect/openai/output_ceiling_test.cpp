#include "dialect/openai/output_ceiling.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace penstock::dialect::openai {
namespace {

TEST(OutputCeiling, IsWhatTheClientNames) {
  EXPECT_EQ(read_output_ceiling({.max_tokens = "150"}), 150U);
  EXPECT_EQ(read_output_ceiling({.max_completion_tokens = "7"}), 7U);
  EXPECT_EQ(read_output_ceiling({}), std::nullopt);
  EXPECT_EQ(read_output_ceiling({.max_tokens = "null"}), std::nullopt);
  EXPECT_EQ(read_output_ceiling({.max_tokens = "\"5\""}), std::nullopt);
  EXPECT_EQ(read_output_ceiling({.max_tokens = "0"}), std::nullopt) << "for some it is no limit";
}

TEST(OutputCeiling, OfBothNamesTheLargerHolds) {
  EXPECT_EQ(read_output_ceiling({.max_tokens = "10", .max_completion_tokens = "20"}), 20U);
  EXPECT_EQ(read_output_ceiling({.max_tokens = "30", .max_completion_tokens = "null"}), 30U);
}

// However a large number is written, it is beyond every bucket.
TEST(OutputCeiling, LargeNumbersAreLarge) {
  for (const char* large : {"10000000000000000", "1e16", "1e400", "1e999999999999999999999",
                            "1234567890123456789012345678901234567890"}) {
    EXPECT_EQ(read_output_ceiling({.max_tokens = large}), 1'000'000'000'000'000U) << large;
    EXPECT_EQ(read_answers({.n = large}), 1'000'000'000'000'000U) << large;
    EXPECT_EQ(unreadable_count({.max_tokens = large, .n = large}), "") << large;
  }
  EXPECT_EQ(read_answers({.n = "1e15", .prompts = 100'000}), UINT64_MAX);
  EXPECT_EQ(read_answers({.n = "1", .prompts = 100'000}), 100'000U);
}

TEST(OutputCeiling, WhatCannotBeReadIsNamed) {
  for (const char* odd : {"-1", "2.5", "\"5\"", "true", "[5]", "{}", "-1e400"}) {
    EXPECT_EQ(unreadable_count({.max_tokens = odd}), "max_tokens") << odd;
    EXPECT_EQ(unreadable_count({.max_completion_tokens = odd}), "max_completion_tokens") << odd;
    EXPECT_EQ(unreadable_count({.n = odd}), "n") << odd;
    EXPECT_EQ(unreadable_count({.best_of = odd}), "best_of") << odd;
  }
  for (const char* fine : {"", "null", "0", "5", "5.0", "1e2"})
    EXPECT_EQ(unreadable_count({.max_tokens = fine, .n = fine}), "") << fine;
  EXPECT_EQ(unreadable_count({.counted_twice = "prompt"}), "prompt");
}

TEST(OutputCeiling, AnswersAreMadeForEveryPrompt) {
  EXPECT_EQ(read_answers({}), 1U);
  EXPECT_EQ(read_answers({.n = "3"}), 3U);
  EXPECT_EQ(read_answers({.n = "3", .best_of = "5", .prompts = 2}), 10U);
  EXPECT_EQ(read_answers({.n = "\"3\"", .best_of = "null", .prompts = 0}), 1U);
}

}  // namespace
}  // namespace penstock::dialect::openai
