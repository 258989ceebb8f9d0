
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/label.h"
#include "base/principal.h"
#include "base/units.h"
#include "config/compile.h"
#include "config/compile_provider.h"
#include "config/load.h"
#include "dialect/openai/request.h"
#include "gateway/snapshot.h"
#include "policy/output_rule.h"
#include "policy/rules_config.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

class CompileRules : public testing::Test {
 protected:
  std::shared_ptr<const gateway::Snapshot> compiled(const std::string& workload,
                                                    const gateway::Snapshot* before = nullptr,
                                                    Credentials credentials = Credentials::kKept) {
    support::MemoryDisk disk;
    disk.put("f",
             "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders:\n"
             "  a: { dialect: openai, replicas: [ http://a ] }\n"
             "  b: { dialect: openai, replicas: [ http://b ], tiers: [internal], output_limit: "
             "max_tokens }\n"
             "models: { m: { tiers: [external], targets: [ { provider: a, model: x } ] } }\n"
             "tenants: { t: { tier: external, workloads: { w: { " +
                 workload + " } } } }\n");
    const LoadResult loaded = load("f", disk, secrets_);
    for (const std::string& line : rendered(loaded.problems, "f")) ADD_FAILURE() << line;
    auto made = compile(loaded.config, secrets_, labels_, WallTime(), before, credentials);
    EXPECT_TRUE(made);
    return made ? *made : nullptr;
  }
  static const gateway::Workload& workload(const gateway::Snapshot& snapshot) {
    return snapshot.tenants.at("t").workloads.at("w");
  }
  support::MemorySecrets secrets_;
  LabelNames labels_;
};

TEST_F(CompileRules, MakesRulesReadyForRequests) {
  const auto snapshot = compiled(
      "models: [m, \"a/*\"], providers: [a], output_tokens_max: 9, output_over: clamp, tools: "
      "deny, "
      "label: required, labels: [x]");
  const gateway::Workload& rules = workload(*snapshot);
  ASSERT_EQ(rules.models.size(), 2U);
  EXPECT_EQ(rules.models[1].text(), "a/*");
  EXPECT_EQ(rules.providers, (std::vector<bool>{true, false}));
  EXPECT_EQ(rules.output_tokens_max, 9U);
  EXPECT_EQ(rules.output_over, policy::OutputOver::kClamp);
  EXPECT_EQ(rules.tools, policy::Tools::kDeny);
  EXPECT_EQ(rules.label_rule, policy::LabelRule::kRequired);
  EXPECT_EQ(rules.labels, std::vector<std::string>{"x"});
  EXPECT_EQ(rules.system_message, "");
  EXPECT_FALSE(snapshot->models.at("m").tiers.has(Tier::kInternal));
  EXPECT_TRUE(snapshot->models.at("m").tiers.has(Tier::kExternal));
  EXPECT_TRUE(snapshot->providers[0].tiers.has(Tier::kExternal)) << "both unless told";
  EXPECT_FALSE(snapshot->providers[1].tiers.has(Tier::kExternal));
  EXPECT_EQ(snapshot->providers[1].output_limit, dialect::openai::OutputLimit::kMaxTokens);
}

TEST_F(CompileRules, NothingSaidIsNoRule) {
  const auto snapshot = compiled("");
  const gateway::Workload& rules = workload(*snapshot);
  EXPECT_TRUE(rules.models.empty() && rules.providers.empty() && rules.labels.empty());
  EXPECT_FALSE(rules.output_tokens_max);
  EXPECT_EQ(rules.tools, policy::Tools::kAllow);
}

// Whatever the text holds, it is one JSON string; a live change keeps what was read at the start.
TEST_F(CompileRules, ReadsTheSystemPromptOnce) {
  secrets_.put("file:p", "Say \"no\"\n\\ Grüße");
  const auto first = compiled("system_prompt: file:p");
  EXPECT_EQ(workload(*first).system_message,
            "{\"role\":\"system\",\"content\":\"Say \\\"no\\\"\\n\\\\ Grüße\"},");
  secrets_.put("file:p", "another");
  const auto second = compiled("system_prompt: file:p", first.get());
  EXPECT_EQ(workload(*second).system_message, workload(*first).system_message);
}

// A reload reads it anew, and one that it adds is in force: a workload that was there before it
// must not go on without.
TEST_F(CompileRules, ReadsTheSystemPromptAnewAtAReload) {
  secrets_.put("file:p", "one");
  const auto without = compiled("");
  const auto added = compiled("system_prompt: file:p", without.get(), Credentials::kRead);
  EXPECT_NE(workload(*added).system_message.find("one"), std::string::npos);
  secrets_.put("file:p", "two");
  const auto changed = compiled("system_prompt: file:p", added.get(), Credentials::kRead);
  EXPECT_NE(workload(*changed).system_message.find("two"), std::string::npos);
  EXPECT_EQ(workload(*compiled("", changed.get(), Credentials::kRead)).system_message, "");
  const auto kept = compiled("system_prompt: file:p", without.get());
  EXPECT_NE(workload(*kept).system_message.find("two"), std::string::npos) << "nothing to keep";
}

}  // namespace
}  // namespace penstock::config
