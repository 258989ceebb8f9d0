#include "policy/output_rule.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"

namespace penstock::policy {
namespace {

constexpr std::uint64_t kCeiling = 100;

// The member that a refusal names; "-": none was.
std::string refused(const OutputAsked& asked, OutputOver over) {
  const Result<OutputHold> hold = hold_output(asked, kCeiling, over);
  if (hold) return "-";
  EXPECT_EQ(hold.error().code, ErrorCode::kInvalidRequest);
  return hold.error().param;
}

OutputHold held(const OutputAsked& asked, OutputOver over = OutputOver::kClamp) {
  const Result<OutputHold> hold = hold_output(asked, kCeiling, over);
  EXPECT_TRUE(hold);
  return hold.value_or(OutputHold());
}

TEST(OutputRule, SaysTheCeilingWhereNothingIsSaid) {
  for (const OutputAsked& asked :
       {OutputAsked{}, OutputAsked{.max_tokens = "null", .max_completion_tokens = "null"}}) {
    const OutputHold hold = held(asked, OutputOver::kRefuse);
    EXPECT_EQ(hold.each, kCeiling);
    EXPECT_EQ(hold.unsaid, kCeiling);
    EXPECT_EQ(hold.total, kCeiling);
    EXPECT_EQ(hold.clamped, "");
  }
}

TEST(OutputRule, KeepsWhatIsNotAboveIt) {
  for (const char* value : {"1", "40", "100"}) {
    const OutputHold hold = held({.max_tokens = value}, OutputOver::kRefuse);
    EXPECT_EQ(hold.clamped, "");
    EXPECT_EQ(hold.unsaid, std::stoull(value));
    EXPECT_EQ(hold.total, std::stoull(value));
  }
}

TEST(OutputRule, RefusesOrClampsWhatIsAboveIt) {
  for (const char* value : {"101", "5000", "18446744073709551615", "18446744073709551616",
                            "1000000000000000000000000000000"}) {
    EXPECT_EQ(refused({.max_tokens = value}, OutputOver::kRefuse), "max_tokens") << value;
    EXPECT_EQ(refused({.max_completion_tokens = value}, OutputOver::kRefuse),
              "max_completion_tokens");
    EXPECT_EQ(held({.max_tokens = value}).clamped, "max_tokens") << value;
    EXPECT_EQ(held({.max_tokens = value}).total, kCeiling);
  }
  EXPECT_EQ(held({.max_completion_tokens = "101"}).clamped, "max_completion_tokens");
}

// Either of two may be the one that the provider reads.
TEST(OutputRule, HoldsBothNames) {
  const OutputAsked mixed{.max_tokens = "5", .max_completion_tokens = "5000"};
  EXPECT_EQ(refused(mixed, OutputOver::kRefuse), "max_completion_tokens");
  EXPECT_EQ(held(mixed).clamped, "max_completion_tokens");
  EXPECT_EQ(held(mixed).unsaid, 5U) << "the smaller one is what the client meant at most";
  EXPECT_EQ(held(mixed).total, kCeiling) << "the larger one is what it may cost";
  EXPECT_EQ(held({.max_tokens = "900", .max_completion_tokens = "900"}).clamped,
            "max_tokens, max_completion_tokens");
}

// What a provider could round, or read in another way than we do, does not go out.
TEST(OutputRule, TakesPlainWholeNumbersOnly) {
  for (const char* value : {"0", "-1", "1.5", "100.0", "1e2", "\"100\"", "true", "[]", "{}", "-0"})
    for (const OutputOver over : {OutputOver::kRefuse, OutputOver::kClamp}) {
      EXPECT_EQ(refused({.max_tokens = value}, over), "max_tokens") << value;
      EXPECT_EQ(refused({.max_tokens = "5", .max_completion_tokens = value}, over),
                "max_completion_tokens");
      EXPECT_EQ(refused({.n = value}, over), "n") << value;
      EXPECT_EQ(refused({.best_of = value}, over), "best_of") << value;
    }
}

// A fan-out is output too: n choices share the ceiling.
TEST(OutputRule, ChoicesShareTheCeiling) {
  const OutputHold hold = held({.n = "4"}, OutputOver::kRefuse);
  EXPECT_EQ(hold.each, 25U);
  EXPECT_EQ(hold.total, 100U);
  EXPECT_EQ(refused({.max_tokens = "26", .n = "4"}, OutputOver::kRefuse), "max_tokens");
  EXPECT_EQ(refused({.max_tokens = "25", .n = "4"}, OutputOver::kRefuse), "-");
  EXPECT_EQ(held({.max_tokens = "26", .n = "4"}).clamped, "max_tokens");
  EXPECT_EQ(held({.max_tokens = "5", .n = "4"}).total, 20U);
  EXPECT_EQ(held({.n = "2", .best_of = "5"}).each, 20U);
  EXPECT_EQ(held({.n = "2", .prompts = 3}).each, 16U);
}

TEST(OutputRule, RefusesMoreChoicesThanTokens) {
  for (const OutputOver over : {OutputOver::kRefuse, OutputOver::kClamp}) {
    EXPECT_EQ(refused({.n = "101"}, over), "n");
    EXPECT_EQ(refused({.n = "1000000"}, over), "n");
    EXPECT_EQ(refused({.n = "99999999999999999999999"}, over), "n");
    EXPECT_EQ(refused({.best_of = "101"}, over), "best_of");
    EXPECT_EQ(refused({.prompts = 101}, over), "prompt");
    EXPECT_EQ(refused({.n = "18446744073709551615", .prompts = 18446744073709551615U}, over), "n");
    EXPECT_EQ(refused({.n = "100"}, over), "-");
  }
}

}  // namespace
}  // namespace penstock::policy
