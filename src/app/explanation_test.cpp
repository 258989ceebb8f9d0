#include "app/explanation.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/label.h"
#include "base/secret.h"
#include "base/units.h"
#include "config/compile.h"
#include "config/load.h"
#include "control/retry_plan.h"
#include "gateway/snapshot.h"
#include "tests/support/memory_files.h"

namespace penstock::app {
namespace {

// The key is "foo".
constexpr std::string_view kFile =
    "version: 1\n"
    "listen: {}\n"
    "tenants:\n"
    "  retail:\n"
    "    tier: external\n"
    "    keys: [ { id: support-1, workload: support, sha256: "
    "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae } ]\n"
    "    workloads: { support: { models: [chat, \"canary/*\"], tools: deny, output_tokens_max: 9, "
    "system_prompt: env:PROMPT } }\n"
    "providers:\n"
    "  stable: { dialect: openai, replicas: [ http://a:1, { url: http://b:1, weight: 2 } ] }\n"
    "  canary: { dialect: openai, replicas: [ http://c:1 ] }\n"
    "  backup: { dialect: openai, replicas: [ http://d:1 ], health: {} }\n"
    "  inner: { dialect: openai, replicas: [ http://e:1 ], tiers: [internal] }\n"
    "models:\n"
    "  chat:\n"
    "    targets: [ { provider: stable, model: up, weight: 9 }, { provider: canary, model: up } ]\n"
    "    fallback: [ { provider: backup, model: spare }, { provider: inner, model: own } ]\n"
    "    deadline: 30s\n"
    "  other: { targets: [ { provider: stable, model: up } ] }\n";

class ExplanationTest : public testing::Test {
 protected:
  void SetUp() override {
    support::MemoryDisk disk;
    secrets.put("env:PROMPT", "a marked text");
    disk.put("penstock.yaml", std::string(kFile));
    loaded = config::load("penstock.yaml", disk, secrets);
    ASSERT_TRUE(loaded.ok());
    auto compiled = config::compile(loaded.config, secrets, labels, WallTime());
    ASSERT_TRUE(compiled);
    snapshot = *compiled;
  }
  [[nodiscard]] Explanation ask(const Question& question) const {
    return explain(question, loaded, *snapshot, TimePoint(1s), WallTime());
  }
  static Question question(std::string model) {
    return {.key = Secret("foo"),
            .tenant = "",
            .workload = "",
            .model = std::move(model),
            .provider = {}};
  }

 public:
  support::MemorySecrets secrets;
  LabelNames labels;
  config::LoadResult loaded;
  std::shared_ptr<const gateway::Snapshot> snapshot;
};

TEST_F(ExplanationTest, TellsPrincipalAndRoute) {
  const Explanation told = ask(question("chat"));
  EXPECT_FALSE(told.refused);
  EXPECT_EQ(told.tenant, "retail");
  EXPECT_EQ(told.workload, "support");
  EXPECT_EQ(told.key_id, "support-1");
  EXPECT_EQ(told.tier, "external");
  EXPECT_EQ(told.deadline, 30s);
  EXPECT_FALSE(told.named);
  ASSERT_EQ(told.targets.size(), 4U);
  EXPECT_EQ(told.targets[0].provider, "stable");
  EXPECT_DOUBLE_EQ(told.targets[0].share, 0.9);
  EXPECT_EQ(told.targets[0].replicas.size(), 2U);
  EXPECT_EQ(told.targets[0].replicas[1].weight, 2U);
  EXPECT_EQ(told.targets[2].role, control::TargetRole::kFallback);
  EXPECT_EQ(told.targets[2].model, "spare");
  EXPECT_DOUBLE_EQ(told.targets[2].share, 0);
  EXPECT_EQ(told.targets[2].barred, "");
  EXPECT_EQ(told.targets[3].barred, "not for this tier");
}

// Each rule that is set, in words, and never the text of a prompt.
TEST_F(ExplanationTest, TellsRules) {
  const Question asked = question("chat");
  const std::string text = text_of(ask(asked), asked);
  for (const char* part : {"  tier: external", "  models: only chat, canary/*\n",
                           "  tools: ", "  output_tokens_max: 9 ",
                           "  system_prompt: ", "    barred: not for this tier\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_EQ(text.find("marked"), std::string::npos);
  const std::string json = json_of(ask(asked), asked);
  EXPECT_NE(json.find(R"("barred":"not for this tier")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"({"rule":"tools","verdict":)"), std::string::npos) << json;
}

TEST_F(ExplanationTest, TellsWhatARuleBars) {
  const Explanation model = ask(question("other"));
  EXPECT_EQ(model.refused.value().code, ErrorCode::kModelNotAllowed);
  EXPECT_EQ(model.rules.back().rule, "models");
  Question asked = question("chat");
  asked.provider = "inner";
  const Explanation provider = ask(asked);
  EXPECT_EQ(provider.refused.value().code, ErrorCode::kProviderNotAllowed);
  EXPECT_EQ(provider.rules.back().rule, "tiers");
  EXPECT_EQ(ask(question("stable/x")).refused.value().code, ErrorCode::kModelNotAllowed);
}

TEST_F(ExplanationTest, FollowsWhatIsAskedForByName) {
  Question asked = question("chat");
  asked.provider = "backup";
  const Explanation only = ask(asked);
  ASSERT_EQ(only.targets.size(), 1U);
  EXPECT_EQ(only.targets[0].provider, "backup");
  EXPECT_TRUE(only.named);
  EXPECT_EQ(ask(question("canary/any")).targets.at(0).model, "any");
  asked.provider = "nobody";
  EXPECT_EQ(ask(asked).refused.value().code, ErrorCode::kModelNotFound);
}

TEST_F(ExplanationTest, TellsARefusal) {
  Question stranger = question("chat");
  stranger.key = Secret("bar");
  EXPECT_EQ(ask(stranger).refused.value().code, ErrorCode::kUnauthenticated);
  stranger.key = Secret();
  EXPECT_EQ(ask(stranger).refused.value().code, ErrorCode::kUnauthenticated);
  const Explanation unknown = ask(question("chatt"));
  ASSERT_TRUE(unknown.refused);
  EXPECT_EQ(unknown.refused->code, ErrorCode::kModelNotFound);
  EXPECT_NE(unknown.refused->hint.find("chat"), std::string::npos);
  EXPECT_EQ(unknown.tenant, "retail") << "that much was decided";
}

// The same functions decide: a replica that is out in the snapshot is out here.
TEST_F(ExplanationTest, TellsWhoIsOut) {
  snapshot->providers[1].state->replicas[0].drain();
  const Explanation told = ask(question("canary/x"));
  ASSERT_EQ(told.targets.size(), 1U);
  EXPECT_FALSE(told.targets[0].replicas[0].in);
  EXPECT_EQ(told.targets[0].replicas[0].why, "drained");
  EXPECT_EQ(told.refused.value().code, ErrorCode::kNoReplica);
}

// Nobody's token can be verified without asking its issuer; what it would claim can be said.
TEST_F(ExplanationTest, TakesClaimsInPlaceOfAToken) {
  support::MemoryDisk disk;
  disk.put("penstock.yaml",
           std::string(kFile) +
               "auth: { mode: keys_or_jwt, jwt: { issuer: i, audience: a, jwks: https://idp } }\n");
  loaded = config::load("penstock.yaml", disk, secrets);
  ASSERT_TRUE(loaded.ok());
  snapshot = config::compile(loaded.config, secrets, labels, WallTime()).value();
  Question asked = question("chat");
  EXPECT_EQ(ask(asked).key_id, "support-1");
  asked.key = Secret("eyJhbGciOiJub25lIn0.e30.");
  const Explanation token = ask(asked);
  EXPECT_EQ(token.refused.value().code, ErrorCode::kUnauthenticated);
  EXPECT_NE(token.refused->message.find("--tenant"), std::string::npos);
  asked.key = Secret();
  asked.tenant = "retail";
  const Explanation told = ask(asked);
  EXPECT_FALSE(told.refused);
  EXPECT_EQ(told.tenant, "retail");
  EXPECT_EQ(told.workload, "support") << "its only one";
  EXPECT_EQ(told.key_id, "");
  EXPECT_EQ(told.tier, "external");
  EXPECT_EQ(told.targets.size(), ask(question("chat")).targets.size());
  asked.workload = "other";
  EXPECT_EQ(ask(asked).refused.value().code, ErrorCode::kUnauthenticated);
  asked.tenant = "";
  EXPECT_EQ(ask(asked).refused.value().code, ErrorCode::kUnauthenticated);
}

TEST_F(ExplanationTest, NeverHoldsTheKey) {
  Question asked = question("chat");
  for (const char* model : {"chat", "chatt", "canary/x"}) {
    asked.model = model;
    const Explanation told = ask(asked);
    EXPECT_EQ(text_of(told, asked).find("foo"), std::string::npos);
    EXPECT_EQ(json_of(told, asked).find("foo"), std::string::npos);
  }
}

}  // namespace
}  // namespace penstock::app
