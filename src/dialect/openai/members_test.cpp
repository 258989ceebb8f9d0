#include "dialect/openai/members.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

std::optional<std::uint64_t> count(std::string_view text) {
  json::Reader reader(text);
  return read_count(reader);
}

bool truthy(std::string_view text) {
  json::Reader reader(text);
  return read_truthy(reader);
}

bool filled(std::string_view text) {
  json::Reader reader(text);
  return read_filled(reader);
}

Finish finish(std::string_view text) {
  json::Reader reader(text);
  return read_finish(reader);
}

llm::Usage usage(std::string_view text) {
  json::Reader reader(text);
  const llm::Usage read = read_usage(reader);
  EXPECT_TRUE(reader.finish()) << text;
  return read;
}

// Counts become money: what is not clearly a count is taken as not said.
TEST(ReadCount, TakesWholeNumbersOnly) {
  EXPECT_EQ(count("0"), 0U);
  EXPECT_EQ(count(" 7"), 7U);
  EXPECT_EQ(count("7.0"), 7U);
  EXPECT_EQ(count("1E+2"), 100U);
  EXPECT_EQ(count("-0"), 0U);
  EXPECT_EQ(count("1000000000000000"), 1'000'000'000'000'000U);
  for (const std::string_view text :
       {"-1", "7.5", "1000000000000001", "123456789012345678901234567890", "1E400", "1e-400",
        "\"7\"", "null", "true", "[7]", "{}"})
    EXPECT_EQ(count(text), std::nullopt) << text;
}

TEST(ReadTruthy, JudgesAsClientLibrariesDo) {
  for (const std::string_view text :
       {"true", "1", "-0.5", "10", "\" \"", "[0]", "{\"a\":0}", "0.01"})
    EXPECT_TRUE(truthy(text)) << text;
  for (const std::string_view text :
       {"false", "null", "0", "-0.0", "0e5", "\"\"", "[ ]", "{\n}", "{}"})
    EXPECT_FALSE(truthy(text)) << text;
}

TEST(ReadFilled, TakesOnlyWhatCanHoldContent) {
  for (const std::string_view text : {"\"a\"", "\" \"", "[null]", "{\"a\":1}"})
    EXPECT_TRUE(filled(text)) << text;
  for (const std::string_view text : {"\"\"", "[]", "{ }", "null", "5", "true"})
    EXPECT_FALSE(filled(text)) << text;
}

TEST(ReadFinish, KnowsOpenFinishedAndFailed) {
  for (const std::string_view text : {"null", "\"\"", "\"null\"", "false"})
    EXPECT_EQ(finish(text), Finish::kOpen) << text;
  for (const std::string_view text :
       {"\"stop\"", "\"length\"", "\"err\"", "\"errors\"", "{\"type\":\"stop\"}"})
    EXPECT_EQ(finish(text), Finish::kFinished) << text;
  for (const std::string_view text : {"\"error\"", "\"abort\"", "\"\\u0061bort\""})
    EXPECT_EQ(finish(text), Finish::kFailed) << text;
}

TEST(ReadUsage, TellsAbsentFromZero) {
  EXPECT_EQ(usage("{}"), llm::Usage{});
  EXPECT_EQ(usage("null"), llm::Usage{});
  EXPECT_EQ(usage("[1]"), llm::Usage{});
  EXPECT_EQ(usage("{\"prompt_tokens\":0,\"completion_tokens\":null}"), (llm::Usage{.input = 0}));
  EXPECT_EQ(usage("{\"prompt_tokens\":9,\"total_tokens\":9}"), (llm::Usage{.input = 9}));
}

TEST(ReadUsage, ReadsTheDetails) {
  EXPECT_EQ(usage("{\"prompt_tokens\":70,\"completion_tokens\":30,\"total_tokens\":100,"
                  "\"prompt_tokens_details\":{\"cached_tokens\":64,\"cache_write_tokens\":3,"
                  "\"audio_tokens\":0},"
                  "\"completion_tokens_details\":{\"reasoning_tokens\":12}}"),
            (llm::Usage{.input = 70,
                        .input_cached = 64,
                        .input_cache_write = 3,
                        .output = 30,
                        .output_reasoning = 12}));
  EXPECT_EQ(
      usage("{\"prompt_tokens\":70,\"prompt_tokens_details\":null,\"prompt_cache_hit_tokens\":6}"),
      (llm::Usage{.input = 70, .input_cached = 6}));
}

// Providers differ in whether reasoning is part of the output; ours always is.
TEST(ReadUsage, TurnsToOurArithmetic) {
  EXPECT_EQ(usage("{\"prompt_tokens\":10,\"completion_tokens\":5,\"total_tokens\":35,"
                  "\"completion_tokens_details\":{\"reasoning_tokens\":20}}"),
            (llm::Usage{.input = 10, .output = 25, .output_reasoning = 20}));
  EXPECT_EQ(usage("{\"prompt_tokens\":10,\"completion_tokens\":10,\"total_tokens\":20,"
                  "\"prompt_tokens_details\":{\"cached_tokens\":11},"
                  "\"completion_tokens_details\":{\"reasoning_tokens\":11}}"),
            (llm::Usage{.input = 10, .input_cached = 10, .output = 10, .output_reasoning = 10}));
}

}  // namespace
}  // namespace penstock::dialect::openai
