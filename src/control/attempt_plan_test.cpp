#include "control/attempt_plan.h"

#include <variant>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"

namespace penstock::control {
namespace {

// With one attempt the first failure is the client's answer.
TEST(AttemptPlan, EndsAfterTheLastAttempt) {
  AttemptPlan plan({.attempts_max = 1}, 3);
  EXPECT_EQ(std::get<Start>(plan.begin()).target, 3U);
  const Decision next = plan.on_failure(Error(ErrorCode::kUpstreamUnavailable));
  EXPECT_EQ(std::get<Finish>(next).error.code, ErrorCode::kUpstreamUnavailable);
  EXPECT_EQ(plan.attempts(), 1U);
}

// Retries are free before the first content byte and forbidden after it.
TEST(AttemptPlan, NeverRetriesAfterContent) {
  AttemptPlan plan({.attempts_max = 5}, 0);
  EXPECT_TRUE(std::holds_alternative<Start>(plan.begin()));
  EXPECT_TRUE(std::holds_alternative<Start>(plan.on_failure(Error(ErrorCode::kUpstreamError))));
  plan.on_content();
  EXPECT_TRUE(std::holds_alternative<Finish>(plan.on_failure(Error(ErrorCode::kUpstreamError))));
  EXPECT_EQ(plan.attempts(), 2U);
}

}  // namespace
}  // namespace penstock::control
