// The admin plane on a whole gateway: what it shows, what it changes, and whom it obeys.
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/health.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/peer.h"
#include "tests/support/scripted_upstream.h"

namespace penstock::scenario {
namespace {

constexpr std::string_view kJson = "content-type: application/json\r\n";
constexpr std::string_view kDrain = "/admin/v1/providers/p/drain";
constexpr std::string_view kReplica = R"({"replica":"http://up:8000"})";

class AdminTest : public testing::Test {
 protected:
  explicit AdminTest(std::string_view config = "") : rig(config, "") {}

  // fields: each with its line end, Host included unless it is told.
  Reply ask(std::string_view method, std::string_view target, std::string_view body = "",
            std::string_view fields = kJson) {
    std::string bytes = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n";
    if (fields.find("host:") == std::string_view::npos) bytes += "host: 127.0.0.1:7101\r\n";
    bytes += fields;
    if (method != "GET") bytes += "content-length: " + std::to_string(body.size()) + "\r\n";
    bytes += "connection: close\r\n\r\n";
    bytes += body;
    ClientCall call;
    call.bytes = std::move(bytes);
    const testing::ScopedTrace trace(__FILE__, __LINE__, target);
    return scenario::ask(rig, rig.connect_admin(), call, 10s);
  }
  int status(std::string_view method, std::string_view target, std::string_view body = "",
             std::string_view fields = kJson) {
    return ask(method, target, body, fields).status;
  }
  std::string shown(std::string_view target) { return ask("GET", target).body; }
  int patch(std::string_view body) { return status("PATCH", "/admin/v1/config", body); }

  // fields: each with its LF.
  int chat_status(std::string_view fields = "") {
    return scenario::ask(rig, chat_call(Streamed::kNo, fields), 1h, 10ms).status;
  }

 public:
  GatewayRig rig;
};

bool says(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

TEST_F(AdminTest, ShowsProvidersAndReplicas) {
  const std::string text = shown("/admin/v1/providers");
  for (const char* word :
       {R"("name":"p")", R"("dialect":"openai")", R"("balance":"weighted_round_robin")",
        R"("in_flight_limit":400)", R"("url":"http://up:8000")", R"("health":"unknown")",
        R"("breaker":"closed")", R"("duty":"serving")", R"("standing":"eligible")",
        R"("last_error":null)", R"("retry_budget":{"limit":"10%","ratio":0)"})
    EXPECT_TRUE(says(text, word)) << word << " in " << text;
  rig.upstream.answer(test::json_answer(500, "{}"));
  EXPECT_EQ(chat_status(), 500);
  EXPECT_TRUE(
      says(shown("/admin/v1/providers"), R"("last_error":{"code":"upstream_error","status":500,)"))
      << shown("/admin/v1/providers");
  EXPECT_TRUE(says(shown("/admin/v1/status"), R"("providers":1,"replicas":1)"));
  rig.expect_settled();
}

TEST_F(AdminTest, DrainsAndEnablesAReplica) {
  rig.upstream.answer_always(test::json_answer("{}"));
  EXPECT_EQ(status("GET", "/readyz?providers"), 200);
  EXPECT_EQ(status("POST", kDrain, kReplica), 200);
  EXPECT_TRUE(says(shown("/admin/v1/providers"), R"("standing":"drained")"));
  EXPECT_EQ(chat_status(), 503);
  EXPECT_EQ(status("GET", "/readyz?providers"), 503) << "nothing could serve";
  EXPECT_EQ(status("GET", "/readyz"), 200) << "one provider's outage must not unload a gateway";
  EXPECT_EQ(status("POST", "/admin/v1/providers/p/enable", kReplica), 200);
  EXPECT_EQ(chat_status(), 200);
  EXPECT_EQ(rig.upstream.requests().size(), 1U);
  rig.expect_settled();
}

TEST_F(AdminTest, ResetsABreaker) {
  rig.upstream.answer_always(test::json_answer(500, "{}"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(chat_status(), 500);
  const std::string open = shown("/admin/v1/providers");
  EXPECT_TRUE(says(open, R"("breaker":"open","open_for_ms":)")) << open;
  EXPECT_EQ(chat_status(), 503);
  EXPECT_EQ(status("POST", "/admin/v1/providers/p/reset", kReplica), 200);
  EXPECT_TRUE(says(shown("/admin/v1/providers"), R"("breaker":"closed")"));
  EXPECT_EQ(chat_status(), 500) << "it is asked again";
  rig.expect_settled();
}

TEST_F(AdminTest, TellsWhatAnOrderLacks) {
  const Reply provider = ask("POST", "/admin/v1/providers/pp/drain", kReplica);
  EXPECT_EQ(provider.status, 404);
  const Reply replica = ask("POST", kDrain, R"({"replica":"http://up:8001"})");
  EXPECT_EQ(replica.status, 404);
  EXPECT_TRUE(says(replica.body, "http://up:8000")) << replica.body;
  EXPECT_EQ(status("POST", kDrain, "{broken"), 400);
  EXPECT_EQ(status("POST", kDrain, "{}"), 400);
  EXPECT_EQ(status("POST", kDrain, std::string(70'000, ' ')), 413);
  EXPECT_EQ(ask("GET", kDrain).field("allow"), "POST");
  EXPECT_EQ(status("GET", "/admin/v1/nothing"), 404);
  EXPECT_EQ(status("GET", "/admin/v1/config?format=xml"), 400);
  EXPECT_TRUE(rig.audit_log.lines.empty()) << "nothing was changed";
  rig.expect_settled();
}

// An order for a replica that went to the wrong path must not end the process.
TEST_F(AdminTest, DrainingTheProcessTakesNoBody) {
  const Reply reply = ask("POST", "/admin/v1/drain", kReplica);
  EXPECT_EQ(reply.status, 400);
  EXPECT_TRUE(says(reply.body, "/admin/v1/providers/NAME/drain")) << reply.body;
  EXPECT_EQ(status("GET", "/readyz"), 200);
  EXPECT_TRUE(rig.audit_log.lines.empty());
  rig.expect_settled();
}

// What is done is told, once each, with what stood there before.
TEST_F(AdminTest, WritesEveryChangeToTheAuditLog) {
  const std::string fields = std::string(kJson) + "x-request-id: change-7\r\n";
  EXPECT_EQ(status("POST", kDrain, kReplica, fields), 200);
  EXPECT_EQ(patch(R"({"retry":{"budget":"0%"},"limits":{"in_flight":7}})"), 200);
  EXPECT_EQ(patch(R"({"retry":{"budget":"banana"}})"), 400);
  ASSERT_EQ(rig.audit_log.lines.size(), 2U);
  EXPECT_TRUE(says(rig.audit_log.lines[0],
                   R"("rule":"admin","action":"drain","code":null,"tenant":null,"workload":null,)"
                   R"("key_id":null,"request_id":"change-7","provider":"p",)"
                   R"("replica":"http://up:8000","model":null,"changes":[]})"))
      << rig.audit_log.lines[0];
  EXPECT_TRUE(says(rig.audit_log.lines[1],
                   R"("changes":[{"path":"limits.in_flight","from":"2000","to":"7"},)"
                   R"({"path":"retry.budget","from":"10%","to":"0%"}]})"))
      << rig.audit_log.lines[1];
  rig.expect_settled();
}

TEST_F(AdminTest, APatchIsInForceWhenItIsAnswered) {
  rig.upstream.answer_always(test::json_answer("{}"));
  EXPECT_EQ(patch(R"({"limits":{"in_flight":1}})"), 200);
  EXPECT_EQ(rig.process().in_flight.limit(), 1U);
  EXPECT_TRUE(
      says(shown("/admin/v1/config"), R"({"path":"limits.in_flight","value":1,"origin":"patch"})"));
  EXPECT_TRUE(says(shown("/admin/v1/config?format=yaml"), "in_flight: 1  # patch"));
  EXPECT_EQ(chat_status(), 200);
  EXPECT_EQ(patch(R"({"limits":{"in_flight":null}})"), 200);
  EXPECT_EQ(rig.process().in_flight.limit(), 2000U);
  EXPECT_EQ(patch(R"({"models":{"m":{"weights":{"p":0}}}})"), 400) << "it has no other target";
  EXPECT_EQ(patch(R"({"listen":{"data":"127.0.0.1:1"}})"), 400);
  EXPECT_EQ(patch("{broken"), 400);
  EXPECT_EQ(rig.process().in_flight.limit(), 2000U);
  rig.expect_settled();
}

class AdminRetryTest : public AdminTest {
 protected:
  AdminRetryTest() : AdminTest("retry: { attempts_max: 2, budget: 50%, backoff_base: 1ms }\n") {}
};

// The switch for an outage: the next failure is the last word.
TEST_F(AdminRetryTest, ABudgetOfNothingIsInForceAtOnce) {
  const test::Answer ill = test::json_answer(500, R"({"error":{"message":"ill"}})");
  for (int i = 0; i < 2; ++i) {
    rig.upstream.answer(ill);
    rig.upstream.answer(test::json_answer("{}"));
  }
  EXPECT_EQ(chat_status(), 200);
  EXPECT_EQ(patch(R"({"retry":{"budget":"0%"}})"), 200);
  EXPECT_EQ(chat_status(), 500);
  EXPECT_EQ(rig.upstream.requests().size(), 3U);
  EXPECT_TRUE(says(rig.metrics(), R"(retries_refused_total{provider="p"} 1)"));
  rig.expect_settled();
}

// What its prober finds out keeps requests away from a replica, and lets them come back.
TEST_F(AdminTest, AReplicaWhoseProbesFailTakesNoCalls) {
  rig.upstream.answer_always(test::json_answer("{}"));
  const control::Hysteresis hysteresis{.healthy_after = 2, .unhealthy_after = 3};
  const auto probe = [&](control::ProbeEnd end) {
    return rig.replica().health.on_probe(end, hysteresis, rig.loop.now());
  };
  EXPECT_EQ(probe(control::ProbeEnd::kPassed), control::HealthState::kHealthy);
  for (int i = 0; i < 3; ++i) probe(control::ProbeEnd::kFailed);
  EXPECT_EQ(chat_status(), 503);
  EXPECT_EQ(rig.upstream.requests().size(), 0U);
  EXPECT_TRUE(says(rig.metrics(), R"(stage="route",code="no_replica"} 1)"));
  for (int i = 0; i < 2; ++i) probe(control::ProbeEnd::kPassed);
  EXPECT_EQ(chat_status(), 200);
  rig.expect_settled();
}

TEST_F(AdminTest, ShowsSecretsAsReferences) {
  for (const char* form : {"/admin/v1/config", "/admin/v1/config?format=yaml"}) {
    const std::string text = shown(form);
    EXPECT_TRUE(says(text, "env:KEY"));
    EXPECT_FALSE(says(text, "sk-provider"));
  }
  rig.expect_settled();
}

// A request keeps the config that it began with: a stream that is quiet for longer than a patch
// allows from now on lives, while one that begins after the patch is cut in time.
TEST_F(AdminTest, APatchChangesNothingInTheMiddleOfARequest) {
  test::Answer quiet;
  quiet.steps = {test::stream_head(),       *text_step("text", "one"),    test::step::Wait{5s},
                 *text_step("text", "two"), *text_step("finish", "stop"), *plain_step("done"),
                 *plain_step("last")};
  rig.upstream.answer(quiet);
  rig.upstream.answer(quiet);
  Client before(rig.loop, rig.connect({}).client, test::Peer::Reading::kAlways);
  before.send(chat_call(Streamed::kYes), 0);
  rig.loop.advance(1s);
  EXPECT_TRUE(says(before.reply(0).body, "one"));
  EXPECT_EQ(patch(R"({"providers":{"p":{"timeouts":{"idle":"1s"}}}})"), 200);
  Client after(rig.loop, rig.connect({}).client, test::Peer::Reading::kAlways);
  after.send(chat_call(Streamed::kYes), 0);
  EXPECT_TRUE(rig.loop.advance_until([&] { return before.idle() && after.idle(); }, 20s));
  rig.loop.advance(10ms);
  EXPECT_TRUE(says(before.reply(0).body, "[DONE]")) << before.reply(0).body;
  EXPECT_TRUE(says(after.reply(0).body, "stream_interrupted")) << after.reply(0).body;
  before.leave(Leave::kClose);
  after.leave(Leave::kClose);
  rig.expect_settled();
}

// A page in the operator's browser can send requests here; it must not be able to change a thing,
// nor to read one by a name of its own that was made to lead here.
TEST_F(AdminTest, ObeysNoWebPage) {
  EXPECT_EQ(status("POST", kDrain, kReplica, "content-type: text/plain\r\n"), 415);
  EXPECT_EQ(status("POST", kDrain, kReplica, ""), 415);
  EXPECT_EQ(status("POST", kDrain, kReplica,
                   "content-type: application/json\r\norigin: https://evil.example\r\n"),
            401);
  EXPECT_EQ(status("POST", kDrain, kReplica, "content-type: application/json\r\norigin: null\r\n"),
            401);
  EXPECT_EQ(status("GET", "/admin/v1/config", "", "host: evil.example:7101\r\n"), 401);
  EXPECT_EQ(status("GET", "/metrics", "", "host: gateway.example:7101\r\n"), 200);
  EXPECT_TRUE(rig.audit_log.lines.empty());
  EXPECT_EQ(status("POST", kDrain, kReplica,
                   "content-type: application/json\r\norigin: http://127.0.0.1:7101\r\n"),
            200);
  EXPECT_EQ(
      status("PATCH", "/admin/v1/config", "{}", "content-type: application/merge-patch+json\r\n"),
      200);
  rig.expect_settled();
}

class AdminTenantTest : public AdminTest {
 protected:
  AdminTenantTest() : AdminTest("tenants: { retail: {} }\n") {}
};

// Limits that the file does not have come and go; the process's own are left alone.
TEST_F(AdminTenantTest, APatchLimitsATenant) {
  constexpr std::string_view kRetail = "x-tenant-id: retail\n";
  rig.upstream.answer_always(test::json_answer("{}"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(chat_status(kRetail), 200);
  EXPECT_EQ(patch(R"({"tenants":{"retail":{"limits":{"requests":"1/h"}}}})"), 200);
  EXPECT_EQ(chat_status(kRetail), 200);
  EXPECT_EQ(chat_status(kRetail), 429);
  EXPECT_EQ(chat_status(), 200) << "another caller";
  EXPECT_EQ(patch(R"({"tenants":null})"), 200);
  EXPECT_EQ(chat_status(kRetail), 200);
  rig.expect_settled();
}

class AdminTokenTest : public AdminTest {
 protected:
  AdminTokenTest() : AdminTest("admin: { token: env:ADMIN }\n") {}
};

TEST_F(AdminTokenTest, AsksForItsToken) {
  const std::string token = std::string(kJson) + "authorization: Bearer sesame\r\n";
  for (const char* wrong : {"", "authorization: Bearer sesam\r\n", "authorization: sesame\r\n",
                            "authorization: Bearer sesame\r\nauthorization: Bearer sesame\r\n"}) {
    const std::string fields = std::string(kJson) + wrong;
    EXPECT_EQ(status("GET", "/admin/v1/config", "", fields), 401) << wrong;
    EXPECT_EQ(status("PATCH", "/admin/v1/config", "{}", fields), 401) << wrong;
    EXPECT_EQ(status("GET", "/metrics", "", fields), 401) << wrong;
    EXPECT_EQ(status("GET", "/nothing", "", fields), 401) << wrong;
  }
  EXPECT_EQ(status("GET", "/livez", "", ""), 200);
  EXPECT_EQ(status("GET", "/readyz?providers", "", ""), 200);
  EXPECT_EQ(status("POST", kDrain, kReplica, token), 200);
  EXPECT_EQ(status("GET", "/metrics", "", token + "host: gateway.example\r\n"), 200);
  for (const std::string& line : rig.audit_log.lines) EXPECT_FALSE(says(line, "sesame")) << line;
  EXPECT_FALSE(says(ask("GET", "/admin/v1/config", "", token).body, "sesame"));
  rig.expect_settled();
}

}  // namespace
}  // namespace penstock::scenario
