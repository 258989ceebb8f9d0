#include "dialect/openai/output_ceiling.h"

#include <optional>

#include <gtest/gtest.h>

namespace penstock::dialect::openai {
namespace {

TEST(OutputCeiling, IsWhatTheClientNames) {
  EXPECT_EQ(read_output_ceiling(R"({"model":"m","max_tokens":150})"), 150U);
  EXPECT_EQ(read_output_ceiling(R"({"max_completion_tokens":7,"model":"m"})"), 7U);
  EXPECT_EQ(read_output_ceiling(R"({"max_\u0074okens":8})"), 8U);
  EXPECT_EQ(read_output_ceiling(R"({"messages":[{"max_tokens":9}]})"), std::nullopt);
  EXPECT_EQ(read_output_ceiling(R"({"max_tokens":null})"), std::nullopt);
  EXPECT_EQ(read_output_ceiling(R"({"max_tokens":"5"})"), std::nullopt);
}

// Providers differ in which of them they read, and in which of two alike: the larger is held.
TEST(OutputCeiling, OfSeveralTheLargestHolds) {
  EXPECT_EQ(read_output_ceiling(R"({"max_tokens":10,"max_completion_tokens":20})"), 20U);
  EXPECT_EQ(read_output_ceiling(R"({"max_tokens":30,"max_tokens":20})"), 30U);
}

TEST(OutputCeiling, AnswersAreMadeForEveryPrompt) {
  EXPECT_EQ(read_answers({}), 1U);
  EXPECT_EQ(read_answers({.n = "3"}), 3U);
  EXPECT_EQ(read_answers({.n = "3", .best_of = "5", .prompts = 2}), 10U);
  EXPECT_EQ(read_answers({.n = "\"3\"", .best_of = "null", .prompts = 0}), 1U);
}

}  // namespace
}  // namespace penstock::dialect::openai
