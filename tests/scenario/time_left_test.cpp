// The deadline is told to the provider as what is left of it, whatever was spent before.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/steps.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

// A backoff is random: here up to 2 s before the second attempt.
TEST(TimeLeft, OfAnAttemptBehindABackoff) {
  Duration longest{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GatewayRig rig("retry: { attempts_max: 2, budget: 100%, backoff_base: 10s, backoff_cap: 2s }\n",
                   "", {}, {}, seed);
    test::Answer ill = test::json_answer(500, "{}");
    ill.steps.insert(ill.steps.begin(), test::step::Wait{300ms});
    rig.upstream.answer(ill);
    rig.upstream.answer(test::json_answer("{}"));
    const TimePoint sent = rig.loop.now();
    EXPECT_EQ(ask(rig, chat_call(Streamed::kNo, "x-request-timeout-ms: 5000\n"), 5s).status, 200);
    ASSERT_EQ(rig.upstream.requests().size(), 2U) << seed;
    for (const auto& request : rig.upstream.requests()) {
      const auto left = std::chrono::floor<std::chrono::milliseconds>(sent + 5s - request.begun);
      EXPECT_EQ(request.field("x-request-timeout-ms"), std::to_string(left.count())) << seed;
    }
    longest = std::max(longest, rig.upstream.requests()[1].begun - sent - 300ms);
    rig.expect_settled();
  }
  EXPECT_GT(longest, 1s) << "or nothing was seen";
}

}  // namespace
}  // namespace penstock::scenario
