// Limits that gateways share, as one gateway sees them: on virtual time, with a store in memory
// that can be away.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "control/in_flight_limit.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/model_quotas.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

using Mood = ModelQuotas::Mood;

class SharedQuotaTest : public testing::Test {
 protected:
  // Tenants `a`, internal, and `b`, external, with these limits.
  void begin(std::string_view limits, std::string_view more = "") {
    const std::string each =
        "{ tier: " + std::string("%") + ", limits: " + std::string(limits) + " }";
    const auto of = [&](std::string_view tier) {
      std::string text = each;
      return text.replace(text.find('%'), 1, tier);
    };
    begin_with(std::string(more) +
               "store: { quota: { kind: redis }, redis: { url: env:REDIS } }\n" +
               "tenants: { a: " + of("internal") + ", b: " + of("external") + " }\n");
  }
  void begin_with(std::string_view config) {
    rig_ = std::make_unique<GatewayRig>(config, "");
    quotas_ = std::make_unique<ModelQuotas>(rig_->loop);
    rig_->share_quotas(*quotas_);
  }
  void TearDown() override {
    if (rig_) rig_->expect_settled();
  }
  Reply chat(std::string_view tenant = "a", std::string_view members = "") {
    rig_->upstream.answer_always(
        test::json_answer(R"({"usage":{"prompt_tokens":10,"completion_tokens":20}})"));
    return ask(*rig_, call_of(tenant, members), 5s);
  }
  static ClientCall call_of(std::string_view tenant, std::string_view members = "") {
    RequestParts parts;
    const std::string fields = "x-tenant-id: " + std::string(tenant) + "\n";
    const std::string body = R"({"model":"m")" + std::string(members) + "}";
    parts.fields = fields;
    parts.id = "r0";
    parts.body = body;
    ClientCall call;
    call.bytes = request_bytes(parts);
    return call;
  }
  // So many calls at once; how many of them were let through.
  std::size_t let_through_of(std::size_t count) {
    rig_->upstream.answer_always(test::json_answer("{}"));
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < count; ++i) {
      const ClientCall call = call_of("a");
      clients.push_back(std::make_unique<Client>(rig_->loop, rig_->connect(call.to_client).client,
                                                 test::Peer::Reading::kAlways));
      clients.back()->send(call, 0);
    }
    const auto idle = [](const std::unique_ptr<Client>& client) { return client->idle(); };
    EXPECT_TRUE(rig_->loop.advance_until([&] { return std::ranges::all_of(clients, idle); }, 5s));
    return static_cast<std::size_t>(std::ranges::count_if(
        clients, [](const auto& client) { return client->reply(0).status == 200; }));
  }
  std::vector<int> statuses(std::size_t count, std::string_view tenant = "a") {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(chat(tenant).status);
    return all;
  }

  std::unique_ptr<GatewayRig> rig_;
  std::unique_ptr<ModelQuotas> quotas_;
};

// A fifth of ten: two at once. What was taken from it is still taken when the store has come back
// and is away again.
TEST_F(SharedQuotaTest, TheEmergencyLimitKeepsItsLevelAsTheStoreFlaps) {
  begin("{ requests: 10/min, burst: 10 }");
  EXPECT_EQ(chat().field("x-ratelimit-limit-requests"), "10");
  quotas_->mood = Mood::kAway;
  const Reply first = chat();
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.field("x-penstock-degraded"), "quota");
  EXPECT_EQ(first.field("x-ratelimit-limit-requests"), "2");
  EXPECT_EQ(first.field("x-ratelimit-remaining-requests"), "1");
  EXPECT_EQ(chat().status, 200);
  const Reply third = chat();
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(third.field("retry-after"), "30");
  quotas_->mood = Mood::kSound;
  const Reply sound = chat();
  EXPECT_EQ(sound.status, 200);
  EXPECT_EQ(sound.field("x-penstock-degraded"), std::nullopt);
  EXPECT_EQ(sound.field("x-ratelimit-remaining-requests"), "8");
  quotas_->mood = Mood::kAway;
  EXPECT_EQ(chat().status, 429);
  rig_->loop.advance(30s);
  EXPECT_EQ(statuses(2), (std::vector{200, 429}));
}

// A request that was not answered at its head is decided here to its end.
TEST_F(SharedQuotaTest, ASilentStoreIsAskedOncePerRequest) {
  begin("{ requests: 10/min, burst: 10, tokens: 10k/min, in_flight: 10 }");
  quotas_->mood = Mood::kSilent;
  EXPECT_EQ(chat().status, 200);
  EXPECT_EQ(quotas_->asks, 1U);
  EXPECT_TRUE(quotas_->settled.empty());
}

TEST_F(SharedQuotaTest, ARequestAsksTwiceAtMost) {
  begin("{ requests: 10/min, burst: 10, tokens: 10k/min, in_flight: 10 }");
  EXPECT_EQ(chat().status, 200);
  EXPECT_EQ(quotas_->asks, 2U);
  EXPECT_EQ(chat().status, 200);
  EXPECT_EQ(quotas_->asks, 4U);
}

// 13 bytes are four tokens; what was held and not used is told to the store, with its epoch.
TEST_F(SharedQuotaTest, TokensSettleAtTheStore) {
  begin("{ tokens: 600/min }");
  EXPECT_EQ(chat("a", R"(,"max_tokens":100)").field("x-ratelimit-remaining-tokens"), "492");
  ASSERT_EQ(quotas_->settled.size(), 1U);
  EXPECT_EQ(quotas_->settled[0], (ModelQuotas::Settled{78, 0, ModelQuotas::kEpoch}));
  EXPECT_EQ(chat("a", R"(,"max_tokens":2)").status, 200);
  ASSERT_EQ(quotas_->settled.size(), 2U);
  EXPECT_EQ(quotas_->settled[1], (ModelQuotas::Settled{0, 21, ModelQuotas::kEpoch}));
  EXPECT_EQ(chat("a", R"(,"max_tokens":600)").status, 400);
}

// While the store is away both pairs of headers tell of this gateway's own part.
TEST_F(SharedQuotaTest, HeadersTellOfTheEmergencyLimitsOfTokensToo) {
  begin("{ requests: 10/min, burst: 10, tokens: 6k/min }");
  quotas_->mood = Mood::kAway;
  const Reply reply = chat("a", R"(,"max_tokens":100)");
  EXPECT_EQ(reply.field("x-ratelimit-limit-requests"), "2");
  EXPECT_EQ(reply.field("x-ratelimit-limit-tokens"), "1200");
}

// What the process refuses later goes back to the store.
TEST_F(SharedQuotaTest, ALaterRefusalGivesTokensBack) {
  begin("{ tokens: 600/min, in_flight: 5 }", "limits: { in_flight: 1 }\n");
  control::InFlightLimit::Guest guest = rig_->process().in_flight.enter_anyway();
  EXPECT_EQ(chat("a", R"(,"max_tokens":100)").status, 503);
  ASSERT_EQ(quotas_->settled.size(), 1U);
  EXPECT_EQ(quotas_->settled[0].back, 108U);
  guest.slot = control::Slot();
  EXPECT_EQ(chat("a", R"(,"max_tokens":560)").status, 200);
}

// Tokens in hand are spent while the store is away, but not by strangers.
TEST_F(SharedQuotaTest, OnlyInternalTenantsSpendSlicesWhileTheStoreIsAway) {
  begin("{ requests: 200/s, burst: 400 }");
  for (const std::string_view tenant : {"a", "b"})
    EXPECT_EQ(statuses(20, tenant), std::vector(20, 200)) << tenant;
  EXPECT_LT(quotas_->asks, 20U);
  quotas_->mood = Mood::kAway;
  EXPECT_EQ(chat("a").field("x-penstock-degraded"), std::nullopt);
  EXPECT_EQ(chat("b").field("x-penstock-degraded"), "quota");
  rig_->loop.advance(1100ms);
  EXPECT_EQ(chat("a").field("x-penstock-degraded"), "quota");
}

// Six workloads, each hot by itself: what they have in hand together is no more than their tenant
// may have, 5 % of 400. It shows while the store is away, for that is all that passes then.
TEST_F(SharedQuotaTest, SlicesOfManyWorkloadsKeepToTheBoundOfTheirTenant) {
  std::string workloads;
  std::string keys;
  for (int i = 0; i < 6; ++i) {
    const std::string name = fmt::format("w{}", i);
    workloads += fmt::format("{}: {{ limits: {{ requests: 300/s, burst: 400 }} }}, ", name);
    keys += fmt::format("{{ id: {0}, workload: {0}, sha256: {1} }}, ", name,
                        crypto::hex_encode(crypto::sha256(name)));
  }
  begin_with(
      fmt::format("auth: {{ mode: keys }}\n"
                  "store: {{ quota: {{ kind: redis }}, redis: {{ url: env:REDIS }} }}\n"
                  "tenants: {{ t: {{ limits: {{ requests: 400/s, burst: 400 }}, workloads: "
                  "{{ {} }}, keys: [ {} ] }} }}\n",
                  workloads, keys));
  rig_->upstream.answer_always(test::json_answer("{}"));
  const auto call = [&](int workload) {
    RequestParts parts;
    parts.fields = fmt::format("x-api-key: w{}\n", workload);
    parts.id = "r0";
    parts.body = R"({"model":"m"})";
    ClientCall asked;
    asked.bytes = request_bytes(parts);
    return ask(*rig_, asked, 5s);
  };
  for (int i = 0; i < 40; ++i)
    for (int workload = 0; workload < 6; ++workload) EXPECT_EQ(call(workload).status, 200);
  EXPECT_LT(quotas_->asks, 240U);
  quotas_->mood = Mood::kAway;
  int in_hand = 0;
  for (int workload = 0; workload < 6; ++workload)
    while (!call(workload).field("x-penstock-degraded")) ++in_hand;
  EXPECT_GT(in_hand, 0);
  EXPECT_LE(in_hand, 20);
}

// A flood of refused requests is none of questions.
TEST_F(SharedQuotaTest, ARefusalIsBelievedForAMoment) {
  begin("{ requests: 1/min, burst: 1 }");
  EXPECT_EQ(statuses(2), (std::vector{200, 429}));
  const std::size_t asks = quotas_->asks;
  const Reply again = chat();
  EXPECT_EQ(again.status, 429);
  EXPECT_EQ(again.field("retry-after"), "60");
  EXPECT_EQ(quotas_->asks, asks);
  rig_->loop.advance(100ms);
  EXPECT_EQ(chat().status, 429);
  EXPECT_EQ(quotas_->asks, asks + 1);
}

// Of a ceiling of ten a fifth is two, whatever runs already.
TEST_F(SharedQuotaTest, TheCeilingTightensWhileTheStoreIsAway) {
  begin("{ in_flight: 10 }");
  EXPECT_EQ(chat().status, 200);
  control::InFlightLimit& ceiling = rig_->tenant_state("a").in_flight;
  quotas_->mood = Mood::kAway;
  control::InFlightLimit::Guest one = ceiling.enter_anyway();
  EXPECT_EQ(chat().status, 200);
  control::InFlightLimit::Guest two = ceiling.enter_anyway();
  const Reply refused = chat();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.field("x-penstock-degraded"), "quota");
  quotas_->mood = Mood::kSound;
  EXPECT_EQ(chat().status, 200);
}

// Places of others leave a class that may not fill the whole less.
TEST_F(SharedQuotaTest, OthersPlacesCountForTheShares) {
  begin("{ in_flight: 10 }");
  quotas_->others = 8;
  EXPECT_EQ(chat().status, 200);
  quotas_->others = 9;  // standard may fill nine
  rig_->loop.advance(11s);
  EXPECT_EQ(chat().status, 503);
}

// Tokens likewise: for this hold, while a smaller one may pass.
TEST_F(SharedQuotaTest, ARefusalOfTokensIsBelievedForAMoment) {
  begin("{ tokens: 600/min }");
  EXPECT_EQ(chat("a", R"(,"max_tokens":590)").status, 200);
  EXPECT_EQ(chat("a", R"(,"max_tokens":590)").status, 429);
  const std::size_t asks = quotas_->asks;
  const Reply again = chat("a", R"(,"max_tokens":590)");
  EXPECT_EQ(again.status, 429);
  EXPECT_EQ(again.field("retry-after"), "3");
  EXPECT_EQ(quotas_->asks, asks);
  EXPECT_EQ(chat("a", R"(,"max_tokens":20)").status, 200);
  EXPECT_EQ(quotas_->asks, asks + 1);
}

// A flood at a ceiling is refused here: the store is asked for no more places than the class may
// fill, and those that wait for it take none from each other.
TEST_F(SharedQuotaTest, AFloodAtACeilingIsNoneOfQuestions) {
  begin("{ in_flight: 10 }");
  quotas_->delay = 20ms;
  EXPECT_EQ(let_through_of(40), 9U);
  EXPECT_EQ(quotas_->asks, 9U);
}

// That a ceiling is full is believed for a moment, until a place is left here.
TEST_F(SharedQuotaTest, AFullCeilingIsBelievedForAMoment) {
  begin("{ in_flight: 10 }");
  control::InFlightLimit& ceiling = rig_->tenant_state("a").in_flight;
  std::vector<control::InFlightLimit::Guest> running;
  while (running.size() < 4) running.push_back(ceiling.enter_anyway());
  quotas_->others = 4;  // standard may fill nine: five are ours
  EXPECT_EQ(chat().status, 200);
  running.push_back(ceiling.enter_anyway());
  EXPECT_EQ(statuses(3), (std::vector{503, 503, 503}));
  EXPECT_EQ(quotas_->asks, 2U);
  running.pop_back();
  EXPECT_EQ(chat().status, 200);
  EXPECT_EQ(quotas_->asks, 2U);
  running.push_back(ceiling.enter_anyway());
  quotas_->others = 3;
  EXPECT_EQ(chat().status, 503);
  rig_->loop.advance(100ms);
  EXPECT_EQ(chat().status, 200);
  EXPECT_EQ(quotas_->asks, 3U);
}

}  // namespace
}  // namespace penstock::scenario
