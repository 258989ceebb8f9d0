// Somebody sets the machine's clock, by hours and in both directions: what runs over time here runs
// on a clock that nobody sets; what has a date goes by the date as it stands.
#include <string>

#include <gtest/gtest.h>

#include "base/principal.h"
#include "base/units.h"
#include "policy/posture.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/steps.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

class ClockStepTest : public testing::TestWithParam<Tier> {
 protected:
  ClockStepTest()
      : rig_("auth: { mode: keys }\ntenants: { t: { tier: " +
                 std::string(GetParam() == Tier::kInternal ? "internal" : "external") +
                 ", limits: { requests: 6/min, burst: 2 }, "
                 "keys: [ { id: k, workload: w, expires: 2025-01-01T01:00:00Z, sha256: "
                 "12ccad2ae47ed66bd36c79cd9207e9fcc7240fee258112de2c0591b173b09be6 } ], "
                 "workloads: { w: {} } } }\n",
             "") {
    EXPECT_EQ(policy::posture(policy::Failure::kClockStepped, GetParam()), policy::Posture::kOpen);
    rig_.upstream.answer_always(test::json_answer("{}"));
  }
  void TearDown() override { rig_.expect_settled(); }
  int status() { return ask(rig_, chat_call(Streamed::kNo, "x-api-key: sk-t\n"), 1s).status; }

  GatewayRig rig_;
};
INSTANTIATE_TEST_SUITE_P(Tiers, ClockStepTest, testing::Values(Tier::kInternal, Tier::kExternal));

// Two at once and one in ten seconds, however the clock is set meanwhile.
TEST_P(ClockStepTest, NeitherGivesNorTakesAllowance) {
  EXPECT_EQ(status(), 200);
  rig_.loop.step_wall(30min);
  EXPECT_EQ(status(), 200);
  rig_.loop.step_wall(20min);
  EXPECT_EQ(status(), 429);
  rig_.loop.step_wall(-5h);
  EXPECT_EQ(status(), 429);
  rig_.loop.advance(10s);
  EXPECT_EQ(status(), 200);
  EXPECT_EQ(status(), 429);
}

TEST_P(ClockStepTest, ADateIsReadAsItStands) {
  EXPECT_EQ(status(), 200);
  rig_.loop.step_wall(2h);
  EXPECT_EQ(status(), 403);
  rig_.loop.step_wall(-2h);
  EXPECT_EQ(status(), 200);
}

}  // namespace
}  // namespace penstock::scenario
