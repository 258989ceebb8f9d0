#include "lab/experiments/figures.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "lab/runner/call_record.h"

namespace penstock::lab {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

CallRecord call_at(std::int64_t second, std::uint64_t attempts) {
  CallRecord call;
  call.start = second * kSecond;
  call.attempts = attempts;
  return call;
}
CallRecord ended_at(std::int64_t second, CallRecord call) {
  call.total = second * kSecond - call.start;
  return call;
}

// By hand: 50 requests in 10 s allow 5 retries at 10 %; the sixth is one too many. Fewer requests
// leave the floor of 3, and what lies 10 s apart does not add up.
TEST(RetriesOverBudget, LooksAtEveryTenSeconds) {
  Calls calls;
  for (int i = 0; i < 50; ++i) calls.push_back(call_at(i / 5, i >= 45 ? 2 : 1));
  EXPECT_DOUBLE_EQ(retries_over_budget(calls, 0.1), 0);
  calls.back().attempts = 3;
  EXPECT_DOUBLE_EQ(retries_over_budget(calls, 0.1), 1);
  const Calls few{call_at(0, 3), call_at(1, 3)};
  EXPECT_DOUBLE_EQ(retries_over_budget(few, 0.1), 1);
  const Calls apart{call_at(0, 3), call_at(10, 3)};
  EXPECT_DOUBLE_EQ(retries_over_budget(apart, 0.1), -1);
  Calls far_below;
  for (int i = 0; i < 200; ++i) far_below.push_back(call_at(i / 20, i == 199 ? 2 : 1));
  EXPECT_DOUBLE_EQ(retries_over_budget(far_below, 0.1), 1 - 20);
  EXPECT_DOUBLE_EQ(retries_over_budget({call_at(0, 1)}, 0.1), -3);
  // Begun apart, retried together.
  const Calls late{ended_at(12, call_at(0, 3)), ended_at(12, call_at(10, 3))};
  EXPECT_DOUBLE_EQ(retries_over_budget(late, 0.1), 1);
}

// A request that was refused has no attempt, and pulls the ratio down.
TEST(Amplification, IsAttemptsForRequests) {
  EXPECT_DOUBLE_EQ(amplification({call_at(0, 3), call_at(0, 0)}), 1.5);
  EXPECT_DOUBLE_EQ(amplification({}), 0);
}

}  // namespace
}  // namespace penstock::lab
