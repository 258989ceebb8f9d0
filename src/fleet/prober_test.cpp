#include "fleet/prober.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/seams.h"
#include "base/secret.h"
#include "base/units.h"
#include "control/health.h"
#include "dialect/registry.h"
#include "fleet/health_config.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "net/dialer.h"
#include "runtime/task_group.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/seeded_rng.h"

namespace penstock::fleet {
namespace {

using control::HealthState;
using test::json_answer;

constexpr const char* kPlace = "up:8000";
constexpr std::string_view kList = R"({"object":"list","data":[{"id":"other"},{"id":"up-model"}]})";

class Lines final : public LogSink {
 public:
  void write(std::string_view line) noexcept override { all.emplace_back(line); }
  std::vector<std::string> all;
};

// One provider with one replica, probed each second, ± 10 %, within 400 ms.
class ProberTest : public testing::Test {
 public:
  ProberTest() {
    Provider provider;
    provider.name = "p";
    provider.dialect = &dialect::info(dialect::Dialect::kOpenai);
    provider.key = Secret("sk-provider");
    provider.replicas.push_back({.origin = {.host = "up", .port = 8000},
                                 .authority = "up:8000",
                                 .name = kPlace,
                                 .base_path = "/v1"});
    provider.health.emplace();
    provider.health->interval = 1s;
    provider.health->timeout = 400ms;
    provider.state = std::make_shared<ProviderState>(1, 10);
    providers->push_back(std::move(provider));
  }
  ~ProberTest() override {
    closing.spawn(prober.close());
    loop.advance(8ms);  // whoever waits is woken within a tick
    EXPECT_EQ(closing.running(), 0U);
    EXPECT_EQ(loop.timers().armed(), 0U);
    EXPECT_EQ(net.counts(kPlace).open, 0U);
  }

  void start() {
    prober.start(providers);
    loop.run_until_idle();
  }
  // Lets time pass for this many probes.
  void rounds(int count) {
    const std::size_t wanted = upstream.requests().size() + static_cast<std::size_t>(count);
    EXPECT_TRUE(
        loop.advance_until([&] { return upstream.requests().size() == wanted; }, 2s * count));
    loop.run_until_idle();
  }
  HealthConfig& config() { return *(*providers)[0].health; }
  ReplicaState& replica() { return (*providers)[0].state->replicas[0]; }
  HealthState health() { return replica().health.state(); }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  test::ScriptedUpstream upstream{loop, net, kPlace};
  Lines log;
  std::shared_ptr<std::vector<Provider>> providers = std::make_shared<std::vector<Provider>>();
  Prober prober{loop, net, std::make_unique<test::SeededRng>(1), log};
  runtime::TaskGroup closing;
};

// The first probe runs at start and decides alone; it is asked without a key.
TEST_F(ProberTest, FirstAnswerDecides) {
  upstream.answer_always(json_answer("{}"));
  EXPECT_EQ(health(), HealthState::kUnknown);
  start();
  EXPECT_EQ(health(), HealthState::kHealthy);
  EXPECT_TRUE(log.all.empty());
  const auto& asked = upstream.requests().front();
  EXPECT_EQ(asked.method + " " + asked.target, "GET /health");
  EXPECT_EQ(asked.field("host"), kPlace);
  EXPECT_EQ(asked.field("authorization"), "");
}

TEST_F(ProberTest, FirstFailureDecidesToo) {
  upstream.answer_always(json_answer(503, "{}"));
  start();
  EXPECT_EQ(health(), HealthState::kUnhealthy);
  const std::optional<LastError> error = replica().last_error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kUpstreamError);
  EXPECT_EQ(error->status, 503);
  ASSERT_EQ(log.all.size(), 1U);
  EXPECT_NE(log.all[0].find("\"why\":\"status 503\""), std::string::npos) << log.all[0];
}

// After that it takes three in a row to go out and two to come back, and each is told once.
TEST_F(ProberTest, TakesSeveralInARow) {
  upstream.answer_always(json_answer("{}"));
  start();
  for (int i = 0; i < 2; ++i) upstream.answer(json_answer(500, "{}"));
  rounds(3);
  EXPECT_EQ(health(), HealthState::kHealthy);
  for (int i = 0; i < 3; ++i) upstream.answer(json_answer(500, "{}"));
  rounds(2);
  EXPECT_EQ(health(), HealthState::kHealthy);
  rounds(1);
  EXPECT_EQ(health(), HealthState::kUnhealthy);
  rounds(1);
  EXPECT_EQ(health(), HealthState::kUnhealthy);
  rounds(1);
  EXPECT_EQ(health(), HealthState::kHealthy);
  EXPECT_TRUE(replica().health.recovered_at());
  EXPECT_EQ(log.all.size(), 2U);
}

// Two probes are an interval apart, ± 10 %, and not always the same.
TEST_F(ProberTest, ProbesAtItsInterval) {
  upstream.answer_always(json_answer("{}"));
  start();
  rounds(20);
  Duration shortest = 1h;
  Duration longest{};
  for (std::size_t i = 1; i < upstream.requests().size(); ++i) {
    const Duration pause = upstream.requests()[i].begun - upstream.requests()[i - 1].begun;
    shortest = std::min(shortest, pause);
    longest = std::max(longest, pause);
  }
  EXPECT_GE(shortest, 900ms);
  EXPECT_LE(longest, 1100ms + runtime::TimerWheel::kTick);
  EXPECT_GT(longest - shortest, 50ms);
}

// A redirection is no replica, nor is silence, a closed connection or what is not HTTP.
TEST_F(ProberTest, OnlyAProperAnswerPasses) {
  config().unhealthy_after = 1;
  config().healthy_after = 1;
  const auto bytes = [](std::string text) {
    return test::Answer{.steps = {test::step::Send{std::move(text)}, test::step::Cut{}}};
  };
  const std::vector<test::Answer> bad{
      json_answer(302, "{}"), json_answer(404, "{}"), bytes("SSH-2.0-x\r\n\r\n"),
      test::Answer{.steps = {test::step::Cut{}}}, test::Answer{.steps = {test::step::Reset{}}}};
  upstream.answer(json_answer("{}"));
  start();
  for (const test::Answer& answer : bad) {
    EXPECT_EQ(health(), HealthState::kHealthy);
    upstream.answer(answer);
    rounds(1);
    EXPECT_EQ(health(), HealthState::kUnhealthy);
    upstream.answer(json_answer("{}"));
    rounds(1);
  }
  upstream.answer({.steps = {test::step::Hang{}}});
  rounds(1);
  EXPECT_EQ(health(), HealthState::kHealthy);
  loop.advance(404ms);
  EXPECT_EQ(health(), HealthState::kUnhealthy);
  EXPECT_EQ(replica().last_error()->code, ErrorCode::kUpstreamTimeout);
}

// The time-out covers connecting, both questions and the list's last byte together.
TEST_F(ProberTest, TimeoutCoversTheWholeProbe) {
  config().model = "up-model";
  upstream.answer({.steps = {test::step::Wait{300ms}, json_answer("{}").steps[0]}});
  upstream.answer({.steps = {test::step::Wait{300ms}, json_answer(kList).steps[0]}});
  start();
  loop.advance(396ms);
  EXPECT_EQ(health(), HealthState::kUnknown);
  loop.advance(8ms);
  EXPECT_EQ(health(), HealthState::kUnhealthy);
}

// With a model the replica's own list must name it; only that question carries the key.
TEST_F(ProberTest, ChecksIdentity) {
  config().model = "up-model";
  upstream.answer(json_answer("{}"));
  upstream.answer(json_answer(kList));
  start();
  EXPECT_EQ(health(), HealthState::kHealthy);
  const auto& asked = upstream.requests();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].field("authorization"), "");
  EXPECT_EQ(asked[1].target, "/v1/models");
  EXPECT_EQ(asked[1].field("authorization"), "Bearer sk-provider");
}

TEST_F(ProberTest, AStrayWebServerIsNoReplica) {
  config().model = "up-model";
  config().unhealthy_after = 1;
  config().healthy_after = 1;
  const std::string long_list =
      R"({"data":[{"id":"up-model"}],"x":")" + std::string(std::size_t{256} << 10, 'x') + "\"}";
  for (const std::string_view list :
       {std::string_view("<html>ok</html>"), std::string_view(R"({"data":[{"id":"other"}]})"),
        std::string_view(long_list)}) {
    upstream.answer(json_answer("{}"));
    upstream.answer(json_answer(list));
    if (upstream.requests().empty())
      start();
    else
      rounds(2);
    loop.advance(100ms);
    EXPECT_EQ(health(), HealthState::kUnhealthy) << list.substr(0, 40);
    EXPECT_EQ(replica().last_error()->code, ErrorCode::kUpstreamBadResponse);
    upstream.answer(json_answer("{}"));
    upstream.answer(json_answer(kList));
    rounds(2);
    EXPECT_EQ(health(), HealthState::kHealthy);
  }
}

// That we have no descriptors says nothing about the replica.
TEST_F(ProberTest, OurOwnShortageIsNoAnswer) {
  net.fail(kPlace, net::DialEnd::kLocal);
  start();
  loop.advance(5s);
  EXPECT_EQ(health(), HealthState::kUnknown);
  EXPECT_GE(net.counts(kPlace).dials, 5U);
}

TEST_F(ProberTest, ARefusedConnectionIsAFailure) {
  net.fail(kPlace, net::DialEnd::kRefused);
  start();
  EXPECT_EQ(health(), HealthState::kUnhealthy);
}

// Whatever it waits for at its end: a connection, an answer, the next time.
TEST_F(ProberTest, EndsWhileItDials) {
  net.hang(kPlace);
  start();
  EXPECT_EQ(health(), HealthState::kUnknown);
}
TEST_F(ProberTest, EndsWhileItIsNotAnswered) {
  start();
  EXPECT_EQ(upstream.requests().size(), 1U);
}

// A provider without `health` is left alone.
TEST_F(ProberTest, ProbesNobodyUnasked) {
  (*providers)[0].health.reset();
  start();
  loop.advance(10s);
  EXPECT_EQ(net.counts(kPlace).dials, 0U);
  EXPECT_EQ(health(), HealthState::kUnknown);
}

}  // namespace
}  // namespace penstock::fleet
