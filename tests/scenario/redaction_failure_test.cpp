// The redactor's own failures, for callers of both tiers: no time and no memory, before a request
// goes out, before a reply is begun and within a stream. Nothing that was not looked through
// passes.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/byte_budget.h"
#include "base/principal.h"
#include "base/units.h"
#include "policy/json_redactor.h"
#include "policy/posture.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

constexpr std::string_view kRaw = "anna@e.de";  // shorter than what stands for it
constexpr std::size_t kLong = std::size_t{160} << 10;
constexpr Bytes kStep = 16_KiB;

class RedactionFailureTest : public testing::TestWithParam<Tier> {
 protected:
  RedactionFailureTest()
      : rig_(
            "auth: { mode: keys }\nlimits: { body_bytes: 1MiB, body_memory: 4MiB }\n"
            "tenants: { t: { tier: " +
                std::string(GetParam() == Tier::kInternal ? "internal" : "external") +
                ", keys: [ { id: k, workload: w, sha256: "
                "12ccad2ae47ed66bd36c79cd9207e9fcc7240fee258112de2c0591b173b09be6 } ], "
                "workloads: { w: { redact: { patterns: [email], action: mask } } } } }\n",
            "") {
    EXPECT_EQ(policy::posture(policy::Failure::kRedactorFailed, GetParam()),
              policy::Posture::kClosed);
  }
  void TearDown() override {
    memory_.reset();
    rig_.loop.set_reading(Duration::zero());
    rig_.expect_settled();
  }

  // A JSON object with one text: so many addresses, one behind the other.
  static std::string object_of(std::string_view member, std::size_t addresses) {
    std::string body = R"({"model":"m",")" + std::string(member) + R"(":")";
    for (std::size_t i = 0; i < addresses; ++i) body.append(kRaw).append(" ");
    return body + "\"}";
  }
  static std::string request_of(std::size_t addresses) { return object_of("prompt", addresses); }
  Reply complete(std::string_view body) {
    RequestParts parts;
    parts.target = "/v1/completions";
    parts.fields = "x-api-key: sk-t\n";
    parts.id = "r0";
    parts.body = body;
    ClientCall call;
    call.bytes = request_bytes(parts);
    return ask(rig_, call, 10min);
  }
  // So much of the memory for bodies is left from now on.
  void leave(Bytes left) {
    memory_.reset();
    ByteBudget& budget = rig_.process().body_memory;
    memory_ = budget.take(Bytes{budget.limit().value - left.value});
    ASSERT_TRUE(memory_);
  }
  // Makes a call with ever more memory left until it passes; before that it is refused, and how
  // often. Nothing passes raw in either direction.
  std::size_t refused_until_it_passes(std::string_view body) {
    for (std::size_t i = 0; i < 256; ++i) {
      leave(Bytes{i * kStep.value});
      const std::size_t asked = rig_.upstream.requests().size();
      const Reply reply = complete(body);
      EXPECT_FALSE(reply.body.contains(kRaw)) << i;
      for (const auto& request : rig_.upstream.requests())
        EXPECT_FALSE(request.body.contains(kRaw)) << i;
      if (reply.status == 200) return i;
      EXPECT_EQ(reply.status, 503) << i;
      EXPECT_TRUE(reply.body.contains(R"("code":"overloaded")")) << reply.body;
      if (!late_) EXPECT_EQ(rig_.upstream.requests().size(), asked) << i;
    }
    ADD_FAILURE() << "it never passes";
    return 0;
  }

  GatewayRig rig_;
  std::optional<ByteLease> memory_;
  bool late_ = false;  // the provider is asked before it fails
};

std::string name_of(const testing::TestParamInfo<Tier>& tier) {
  return tier.param == Tier::kInternal ? "Internal" : "External";
}
INSTANTIATE_TEST_SUITE_P(Tiers, RedactionFailureTest,
                         testing::Values(Tier::kInternal, Tier::kExternal), name_of);

// Each slice of its bytes takes a second: five of them are too long.
TEST_P(RedactionFailureTest, ARequestThatTakesTooLongIsClosed) {
  const std::string body = request_of(kLong / (kRaw.size() + 1));
  rig_.loop.set_reading(1s);
  const Reply reply = complete(body);
  EXPECT_EQ(reply.status, 503);
  EXPECT_TRUE(reply.body.contains(R"("code":"redaction_unavailable")")) << reply.body;
  EXPECT_FALSE(reply.body.contains(kRaw));
  EXPECT_TRUE(rig_.upstream.requests().empty());
  EXPECT_TRUE(
      rig_.metrics().contains("penstock_redaction_failures_total{direction=\"request\"} 1\n"));
}

// The same that takes less passes: it is the time, not the length.
TEST_P(RedactionFailureTest, ARequestThatTakesItsTimePasses) {
  const std::string body = request_of(kLong / (kRaw.size() + 1));
  rig_.upstream.answer_always(test::json_answer("{}"));
  rig_.loop.set_reading(100ms);
  EXPECT_EQ(complete(body).status, 200);
  ASSERT_EQ(rig_.upstream.requests().size(), 1U);
  EXPECT_FALSE(rig_.upstream.requests().front().body.contains(kRaw));
}

TEST_P(RedactionFailureTest, AReplyThatTakesTooLongIsClosed) {
  const std::string body = object_of("text", kLong / (kRaw.size() + 1));
  rig_.upstream.answer_always(test::json_answer(body));
  rig_.loop.set_reading(1s);
  const Reply reply = complete(request_of(0));
  EXPECT_EQ(reply.status, 503);
  EXPECT_TRUE(reply.body.contains(R"("code":"redaction_unavailable")")) << reply.body;
  EXPECT_EQ(reply.field("x-should-retry"), "false");
  EXPECT_FALSE(reply.body.contains(kRaw));
  EXPECT_TRUE(
      rig_.metrics().contains("penstock_redaction_failures_total{direction=\"response\"} 1\n"));
}

// The masked copy is charged before it is made, and what it grows by.
TEST_P(RedactionFailureTest, ARequestWithoutMemoryForItsCopyIsRefused) {
  rig_.upstream.answer_always(test::json_answer("{}"));
  EXPECT_GT(refused_until_it_passes(request_of(1)), 0U);
  EXPECT_GT(refused_until_it_passes(request_of(2000)), 1U);
  EXPECT_GT(refused_until_it_passes(request_of(kLong / (kRaw.size() + 1))),
            kLong / kStep.value + policy::DocumentRedactor::kWorkingBytes / kStep.value);
}

TEST_P(RedactionFailureTest, AReplyWithoutMemoryForItsCopyIsNotBegun) {
  late_ = true;
  for (const std::size_t addresses : {std::size_t{1}, std::size_t{2000}, kLong / 10}) {
    rig_.upstream.answer_always(test::json_answer(object_of("text", addresses)));
    EXPECT_GT(refused_until_it_passes(request_of(0)), 0U) << addresses;
  }
}

// Content went out already: one error event, and nothing of the event that was not whole.
TEST_P(RedactionFailureTest, AStreamWithoutMemoryEndsWithAnErrorEvent) {
  const std::string open = R"(data: {"choices":[{"index":0,"delta":{"content":")";
  std::string parked = open + std::string(kRaw) + " " + std::string(std::size_t{80} << 10, 'x');
  rig_.upstream.answer(
      {.steps = {test::stream_head(), test::step::Event{open.substr(6) + "Hello \"}}]}"},
                 test::step::Wait{10ms}, test::step::Chunk{std::move(parked)},
                 test::step::Hang{}}});
  leave(kStep);  // enough for the request
  const Reply reply = ask(rig_, chat_call(Streamed::kYes, "x-api-key: sk-t\n"), 10min);
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.whole);
  EXPECT_TRUE(reply.body.contains("Hello"));
  EXPECT_TRUE(reply.body.contains(R"("code":"stream_interrupted")")) << reply.body;
  EXPECT_FALSE(reply.body.contains("[DONE]"));
  EXPECT_FALSE(reply.body.contains(kRaw));
}

}  // namespace
}  // namespace penstock::scenario
