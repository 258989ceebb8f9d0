// A client that leaves, at every byte of its request and of its reply: the call that was made for
// it ends within a tick, and nobody is to blame.
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/units.h"
#include "runtime/timer.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/loopback.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

constexpr Duration kTick = runtime::TimerWheel::kTick;  // in which whoever waits is told

class EveryDepartureTest : public testing::TestWithParam<Leave> {
 public:
  ClientCall chat(Streamed streamed) {
    ClientCall call = chat_call(streamed);
    call.leave = GetParam();
    call.to_client.bytes_per_read = 1;  // or it would leave behind the byte it is to leave at
    return call;
  }

  // A client asks, takes `after` bytes of the reply and leaves.
  void leave_reply(ClientCall call, std::size_t after) {
    call.leave_after = after;
    Client client(rig.loop, rig.connect(call.to_client).client, test::Peer::Reading::kAlways);
    client.send(call, 0);
    ASSERT_TRUE(rig.loop.advance_until([&] { return client.over(); }, 1s));
    rig.loop.advance(kTick);
  }

  // The call ended unanswered, by now.
  void expect_cancelled(std::string_view status) {
    ++cancelled_;
    ASSERT_EQ(rig.upstream.requests().size(), cancelled_);
    ASSERT_TRUE(rig.upstream.requests().back().peer_left);
    ASSERT_FALSE(rig.upstream.requests().back().answered);
    ASSERT_EQ(rig.log.lines.size(), cancelled_);
    const std::string& line = rig.log.lines.back();
    for (const std::string& member :
         {std::string(R"("outcome":"cancelled")"), std::string(R"("code":null)"),
          std::string(R"("stop":"aborted")"), R"("status":)" + std::string(status) + ","})
      ASSERT_NE(line.find(member), std::string::npos) << member << " in " << line;
  }

  void expect_nobody_is_to_blame() const {
    const std::string metrics = rig.metrics();
    const auto has = [&](const std::string& line) {
      return metrics.find("\npenstock_" + line + "\n") != std::string::npos;
    };
    EXPECT_TRUE(has(R"(upstream_requests_total{provider="p",model="m",outcome="cancelled"} )" +
                    std::to_string(cancelled_)))
        << metrics;
    EXPECT_TRUE(has(R"(provider_status{provider="p",replica="up:8000"} 0)")) << metrics;
    EXPECT_EQ(metrics.find(R"(outcome="fault")"), std::string::npos);
    EXPECT_FALSE(rig.replica().last_error());
    EXPECT_TRUE(rig.operators_log.lines.empty());
  }

  GatewayRig rig{"", ""};

 private:
  std::size_t cancelled_ = 0;
};

// Its answer comes in four parts and without its terminal.
test::Answer stream() {
  test::Answer answer;
  answer.steps = {test::step::Wait{4ms},     *plain_step("head"),   *plain_step("role"),
                  *text_step("text", "Hel"), test::step::Wait{4ms}, *text_step("text", "lo"),
                  *text_step("text", "!"),   test::step::Wait{4ms}, *text_step("finish", "stop"),
                  test::step::Hang{}};
  return answer;
}

// Before the head, within it, between events and within them, and before the terminal.
TEST_P(EveryDepartureTest, FromAStream) {
  rig.upstream.answer_always(stream());
  std::size_t whole = 0;  // all but the terminal
  {
    ClientCall call = chat(Streamed::kYes);
    Client client(rig.loop, rig.connect(call.to_client).client, test::Peer::Reading::kAlways);
    client.send(call, 0);
    rig.loop.advance(2ms);
    client.leave(GetParam());
    rig.loop.advance(kTick);
    ASSERT_NO_FATAL_FAILURE(expect_cancelled("0"));
  }
  {
    ClientCall call = chat(Streamed::kYes);
    Client client(rig.loop, rig.connect(call.to_client).client, test::Peer::Reading::kAlways);
    client.send(call, 0);
    rig.loop.advance(100ms);  // the grace for the terminal is longer
    whole = client.reply(0).bytes;
    EXPECT_NE(client.reply(0).body.find("\"finish_reason\":\"stop\""), std::string::npos);
    EXPECT_EQ(client.reply(0).body.find("[DONE]"), std::string::npos);
    client.leave(GetParam());
    rig.loop.advance(kTick);
    ASSERT_NO_FATAL_FAILURE(expect_cancelled("200"));
  }
  for (std::size_t after = 1; after <= whole; ++after) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "left after " + std::to_string(after));
    ASSERT_NO_FATAL_FAILURE(leave_reply(chat(Streamed::kYes), after));
    ASSERT_NO_FATAL_FAILURE(expect_cancelled("200"));
  }
  expect_nobody_is_to_blame();
  rig.expect_settled();
}

// A reply that is too long to be held is relayed while the provider still sends.
TEST_P(EveryDepartureTest, FromALongReply) {
  constexpr std::size_t kSent = 270'000;
  test::Answer answer;
  answer.steps = {test::step::Send{"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
                                   "content-length: 300000\r\n\r\n{\"p\":\"" +
                                   std::string(kSent, 'x')},
                  test::step::Hang{}};
  rig.upstream.answer_always(answer);
  for (std::size_t after = 1; after <= 600; ++after) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "left after " + std::to_string(after));
    ASSERT_NO_FATAL_FAILURE(leave_reply(chat(Streamed::kNo), after));
    ASSERT_NO_FATAL_FAILURE(expect_cancelled("200"));
  }
  for (const std::size_t after : {std::size_t{5'000}, std::size_t{100'000}, kSent}) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "left after " + std::to_string(after));
    ClientCall call = chat(Streamed::kNo);
    call.to_client.bytes_per_read = test::LoopbackOptions::kNever;
    ASSERT_NO_FATAL_FAILURE(leave_reply(call, after));
    ASSERT_NO_FATAL_FAILURE(expect_cancelled("200"));
  }
  expect_nobody_is_to_blame();
  rig.expect_settled();
}

// Of a short one the call is over before its client gets a byte; what counts is whether the client
// stayed until the last of them was on its way.
TEST_P(EveryDepartureTest, FromAShortReply) {
  constexpr std::size_t kCapacity = 7;
  rig.upstream.answer_always(test::json_answer(R"({"model":"up","choices":[]})"));
  const std::size_t whole = ask(rig, chat_call(Streamed::kNo), 1s).bytes;
  for (std::size_t after = 1; after <= whole; ++after) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "left after " + std::to_string(after));
    ClientCall call = chat(Streamed::kNo);
    call.to_client.capacity = kCapacity;
    ASSERT_NO_FATAL_FAILURE(leave_reply(call, after));
    ASSERT_EQ(rig.log.lines.size(), after + 1);
    // With the last bytes on their way it is a matter of a turn whether the gateway knows.
    const std::string_view outcome = after == whole ? R"("code":null,"outcome":"ok")"
                                     : after + kCapacity < whole
                                         ? R"("code":null,"outcome":"cancelled")"
                                         : R"("code":null)";
    ASSERT_NE(rig.log.lines.back().find(outcome), std::string::npos) << rig.log.lines.back();
  }
  rig.expect_settled();
}

// Within its head it was no request; within its body one that made no call; behind it the call ends
// with it.
TEST_P(EveryDepartureTest, FromItsRequest) {
  const std::string bytes = chat(Streamed::kYes).bytes;
  const std::size_t head = bytes.find("\r\n\r\n") + 4;
  for (std::size_t sent = 0; sent <= bytes.size(); ++sent) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "left after " + std::to_string(sent));
    ClientCall call = chat(Streamed::kYes);
    call.bytes.resize(sent);
    Client client(rig.loop, rig.connect(call.to_client).client, test::Peer::Reading::kAlways);
    client.send(call, 0);
    rig.loop.advance(4ms);
    client.leave(GetParam());
    rig.loop.advance(kTick);
    ASSERT_EQ(client.reply(0).status, 0);
    ASSERT_EQ(rig.log.lines.size(), sent < head ? 0 : sent - head + 1);
    ASSERT_EQ(rig.upstream.requests().size(), sent < bytes.size() ? 0U : 1U);
    if (sent < head) continue;
    const std::string_view line = rig.log.lines.back();
    ASSERT_NE(line.find(R"("outcome":"cancelled")"), std::string_view::npos) << line;
    ASSERT_NE(line.find(sent < bytes.size() ? R"("attempts":0)" : R"("attempts":1)"),
              std::string_view::npos)
        << line;
  }
  EXPECT_TRUE(rig.upstream.requests().back().peer_left);
  rig.expect_settled();
}

std::string name_of(const testing::TestParamInfo<Leave>& info) {
  return info.param == Leave::kReset ? "WithAReset" : "WithAnEnd";
}

INSTANTIATE_TEST_SUITE_P(Ways, EveryDepartureTest, testing::Values(Leave::kClose, Leave::kReset),
                         name_of);

}  // namespace
}  // namespace penstock::scenario
