// A replica that comes back gets its share of the requests little by little.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/steps.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

// The replica at up:8000 gets a million of a million and one requests when nothing speaks against
// it; the other one gets what is left.
std::string config_with(std::string_view guard) {
  return "providers:\n"
         "  p:\n"
         "    dialect: openai\n"
         "    replicas: [ { url: http://up:8000, weight: 1000000 }, http://other:8000 ]\n"
         "    slow_start: 100s\n"
         "    " +
         std::string(guard) + "\n";
}

class SlowStartTest : public testing::Test {
 protected:
  explicit SlowStartTest(std::string_view guard) : rig(config_with(guard), "") {
    rig.upstream.answer_always(test::json_answer("{}"));
    other.answer_always(test::json_answer("{}"));
  }

  Reply chat() { return ask(rig, chat_call(Streamed::kNo), 1s); }
  // Of a thousand requests at this instant, so many are answered at up:8000.
  int share() {
    int here = 0;
    for (int i = 0; i < 1000; ++i) here += chat().field("x-penstock-replica") == "up:8000" ? 1 : 0;
    return here;
  }
  // Five deviations and more on both sides.
  void expect_share(int share_wanted) {
    const int got = share();
    EXPECT_GE(got, share_wanted - 80);
    EXPECT_LE(got, share_wanted + 80);
  }
  // From the moment of its return on.
  void expect_ramp() {
    expect_share(100);
    rig.loop.advance(10s);
    expect_share(100);
    rig.loop.advance(40s);
    expect_share(500);
    rig.loop.advance(30s);
    expect_share(800);
    rig.loop.advance(20s);
    EXPECT_EQ(share(), 1000);
  }

 public:
  GatewayRig rig;
  test::ScriptedUpstream other{rig.loop, rig.net, "other:8000"};
};

class SlowStartOfTheBreakerTest : public SlowStartTest {
 protected:
  SlowStartOfTheBreakerTest()
      : SlowStartTest(
            "breaker: { rate: 50%, samples_min: 2, window: 60s, open_for: 10s, half_open: 100% }") {
  }
};

TEST_F(SlowStartOfTheBreakerTest, BeginsWhenItCloses) {
  EXPECT_EQ(share(), 1000) << "none at the start of the process";
  rig.loop.advance(61s);  // the window is empty again
  for (int i = 0; i < 2; ++i) rig.upstream.answer(test::json_answer(500, "{}"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(chat().status, 500);
  EXPECT_EQ(share(), 0) << "it is open";
  rig.loop.advance(10s + 10ms);
  for (int i = 0; i < 3; ++i)  // each is a probe
    EXPECT_EQ(chat().field("x-penstock-replica"), "up:8000");
  expect_ramp();
  rig.expect_settled();
}

class SlowStartOfHealthTest : public SlowStartTest {
 protected:
  SlowStartOfHealthTest()
      : SlowStartTest("health: { interval: 1s, healthy_after: 2, unhealthy_after: 2 }") {}

  // Lets probes go on until operators were told so much.
  void until_told(std::string_view word) {
    EXPECT_TRUE(rig.loop.advance_until(
        [&] {
          return !rig.operators_log.lines.empty() &&
                 rig.operators_log.lines.back().find(word) != std::string::npos;
        },
        1min))
        << word;
  }
};

TEST_F(SlowStartOfHealthTest, BeginsWhenProbesPassAgain) {
  rig.start_control();
  rig.loop.advance(1ms);
  EXPECT_EQ(share(), 1000) << "none at the start of the process";
  for (int i = 0; i < 2; ++i) rig.upstream.answer(test::json_answer(500, "{}"));
  until_told("replica unhealthy");
  EXPECT_EQ(share(), 0);
  until_told("replica healthy");
  expect_ramp();
  rig.expect_settled();
}

// The first probe of all decides, and what it finds is no return; the other one's is still awaited.
TEST_F(SlowStartOfHealthTest, DoesNotBeginWithTheProcess) {
  test::Answer late = test::json_answer("{}");
  late.steps.insert(late.steps.begin(), test::step::Wait{1s});
  other.answer(late);
  rig.start_control();
  rig.loop.advance(1ms);
  EXPECT_EQ(share(), 1000);
  rig.expect_settled();
}

// Found ill by its first probe, it does return.
TEST_F(SlowStartOfHealthTest, BeginsBehindAFirstProbeThatFailed) {
  rig.upstream.answer(test::json_answer(500, "{}"));
  rig.start_control();
  until_told("replica unhealthy");
  EXPECT_EQ(share(), 0);
  until_told("replica healthy");
  expect_ramp();
  rig.expect_settled();
}

}  // namespace
}  // namespace penstock::scenario
