#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/problem.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

// Two models: chat at stable and canary (as a fallback), secret at canary alone, which is internal.
std::string file(std::string_view workload, std::string_view tier = "internal",
                 std::string_view more_of_chat = "") {
  return "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders:\n"
         "  stable: { dialect: openai, replicas: [ http://a ] }\n"
         "  canary: { dialect: openai, replicas: [ http://b ], tiers: [internal] }\n"
         "models:\n"
         "  chat: { targets: [ { provider: stable, model: x } ], fallback: [ { provider: canary, "
         "model: x } ]" +
         std::string(more_of_chat) +
         " }\n  secret: { targets: [ { provider: canary, model: x } ] }\n"
         "tenants:\n  acme: { tier: " +
         std::string(tier) + ", workloads: { app: { " + std::string(workload) + " } } }\n";
}

LoadResult judged(const std::string& text) {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;
  secrets.put("file:good.txt", "Be kind.");
  secrets.put("file:blank.txt", " \n\t");
  secrets.put("file:latin.txt", "Gr\xFC\xDF");
  secrets.put("file:empty.txt", "");
  disk.put("f", text);
  return load("f", disk, secrets);
}

bool fits(std::string_view workload, std::string_view tier = "internal") {
  const LoadResult got = judged(file(workload, tier));
  for (const std::string& line : rendered(got.problems, "f")) ADD_FAILURE() << line;
  return got.ok();
}

// The one problem of a file with this workload.
std::string fault(std::string_view workload, std::string_view tier = "internal") {
  const LoadResult got = judged(file(workload, tier));
  EXPECT_EQ(got.problems.size(), 1U) << workload;
  return got.problems.empty() ? "" : render(got.problems.front(), "f");
}

bool says(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

// Where keys alone say who calls; a token may name any workload.
TEST(ValidateRules, SomeKeyIsForAWorkloadWithRules) {
  const auto keyed = [](const std::string& key, const std::string& rules) {
    return judged(
        "version: 1\nlisten: {}\nauth: { mode: keys }\ntenants: { t: { keys: [ { id: k, "
        "sha256: " +
        std::string(64, 'a') + key + " } ], workloads: { a: { " + rules + " }, b: {} } } }\n");
  };
  for (const std::string rules :
       {"tools: deny", "output_tokens_max: 1", "labels: [x]", "label: required, labels: [x]",
        "redact: { patterns: [email] }", "system_prompt: file:good.txt"}) {
    EXPECT_TRUE(keyed(", workload: a", rules).ok()) << rules;
    EXPECT_EQ(keyed(", workload: b", rules).problems.size(), 1U) << rules;
    EXPECT_EQ(keyed("", rules).problems.size(), 1U) << rules;
  }
  EXPECT_TRUE(keyed("", "priority: batch").ok()) << "nothing that was to bind";
}

// It may be meant, but the line that `keys new` prints has none either.
TEST(ValidateRules, AKeyBesideAllRulesIsTold) {
  const auto warned = [](const std::string& second, const std::string& rules) {
    const std::string hash(63, 'a');
    return judged(
               "version: 1\nlisten: {}\nauth: { mode: keys }\ntenants: { t: { keys: [ { id: k, "
               "workload: a, sha256: " +
               hash + "1 }, { id: l, sha256: " + hash + "2" + second + " } ], workloads: { a: { " +
               rules + " } } } }\n")
        .warnings;
  };
  const auto told = warned("", "tools: deny");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(says(told.front().text, "tenants.t.keys[1]: has no workload")) << told.front().text;
  EXPECT_TRUE(warned(", workload: a", "tools: deny").empty());
  EXPECT_TRUE(warned("", "priority: batch").empty());
}

TEST(ValidateRules, AdmitsRulesThatBind) {
  EXPECT_TRUE(fits("models: [chat, s*, canary/up, \"*/gpt-?\"]"));
  EXPECT_TRUE(fits("providers: [canary], models: [secret, chat]"));
  EXPECT_TRUE(fits("models: [chat]", "external"));
  EXPECT_TRUE(fits("output_tokens_max: 1, output_over: clamp, tools: deny"));
  EXPECT_TRUE(fits("label: required, labels: [a, b]"));
  EXPECT_TRUE(fits("labels: [a]"));
  EXPECT_TRUE(fits("system_prompt: file:good.txt"));
}

TEST(ValidateRules, AGlobMatchesSomething) {
  const std::string told = fault("models: [chatt]");
  EXPECT_TRUE(says(told, "matches no model")) << told;
  EXPECT_TRUE(says(told, "did you mean \"chat\"?")) << told;
  EXPECT_TRUE(says(fault("models: [chat, \"chat-nowhere*\"]"), "chat-nowhere*"));
  EXPECT_TRUE(says(fault("models: [nobody/x]"), "nobody/x"));
}

TEST(ValidateRules, AGlobNamesWhatMayBeUsed) {
  EXPECT_TRUE(says(fault("models: [chat, secret]", "external"), "models[1]: can never bind"));
  EXPECT_TRUE(says(fault("models: [chat, \"canary/*\"]", "external"), "can never bind"));
  EXPECT_TRUE(says(fault("models: [secret], providers: [stable]"), "can never bind"));
}

TEST(ValidateRules, SomeModelIsLeft) {
  const std::string only_secret =
      "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders:\n  p: { dialect: openai, replicas: "
      "[ "
      "http://a ], tiers: [internal] }\nmodels: { m: { targets: [ { provider: p, model: x } ] } }\n"
      "tenants: { acme: { tier: external, workloads: { app: {} } } }\n";
  const LoadResult got = judged(only_secret);
  ASSERT_EQ(got.problems.size(), 1U);
  EXPECT_TRUE(says(got.problems.front().text, "may use no model"));
}

TEST(ValidateRules, ProvidersAreKnownAndMayServe) {
  const std::string told = fault("providers: [stabel]");
  EXPECT_TRUE(says(told, "unknown provider \"stabel\"")) << told;
  EXPECT_TRUE(says(told, "did you mean \"stable\"?")) << told;
  EXPECT_TRUE(says(fault("providers: [stable, canary]", "external"), "serves no external"));
  EXPECT_TRUE(says(fault("providers: [stable, stable]"), "twice"));
}

TEST(ValidateRules, LabelsAndCeilingsHaveTheirOtherHalf) {
  EXPECT_TRUE(says(fault("label: required"), "no label is known"));
  EXPECT_TRUE(says(fault("label: required, labels: [a, a]"), "twice"));
  EXPECT_TRUE(says(fault("output_over: clamp"), "binds nothing"));
  EXPECT_FALSE(judged(file("output_tokens_max: 0")).ok());
}

TEST(ValidateRules, TiersServeSomebody) {
  const auto with = [](std::string_view tiers) {
    const LoadResult got = judged(file("", "internal", ", tiers: " + std::string(tiers)));
    return got.problems.empty() ? "" : got.problems.front().text;
  };
  EXPECT_EQ(with("[external]"), "") << "stable serves them";
  EXPECT_TRUE(says(with("[]"), "serves nobody"));
  EXPECT_TRUE(says(with("[internal, internal]"), "twice"));
  EXPECT_FALSE(judged(file("", "internal", ", tiers: [somebody]")).ok());
  std::string text = file("");
  text.replace(text.find("secret: {"), 9, "secret: { tiers: [external],");
  const LoadResult got = judged(text);
  ASSERT_EQ(got.problems.size(), 1U);
  EXPECT_TRUE(says(got.problems.front().text, "no provider of this model"));
}

TEST(ValidateRules, ASystemPromptIsAText) {
  EXPECT_TRUE(says(fault("system_prompt: file:blank.txt"), "is blank"));
  EXPECT_TRUE(says(fault("system_prompt: file:latin.txt"), "is not UTF-8"));
  EXPECT_TRUE(says(fault("system_prompt: file:empty.txt"), "is empty"));
  EXPECT_TRUE(says(fault("system_prompt: file:nowhere.txt"), "cannot be read"));
}

// They are let through, for a request that names the provider still gets there.
TEST(ValidateRules, WarnsOfPlacesWithoutWeight) {
  const auto warned = [](std::string_view providers, std::string_view tier) {
    const LoadResult got = judged(
        "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders:\n"
        "  p: { dialect: openai, replicas: [ http://a ] }\n"
        "  q: { dialect: openai, replicas: [ http://b ], tiers: [internal] }\n"
        "models:\n  m: { targets: [ { provider: p, model: x, weight: 0 }, { provider: q, model: x "
        "} "
        "], tiers: [" +
        std::string(tier) + "] }\n  n: { targets: [ { provider: p, model: x } ] }\n" +
        "tenants:\n  acme: { workloads: { app: { models: [m], providers: [" +
        std::string(providers) + "] } } }\n");
    EXPECT_TRUE(got.ok());
    return got.warnings.empty() ? "" : render(got.warnings.front(), "f");
  };
  EXPECT_EQ(warned("p, q", "internal"), "");
  EXPECT_EQ(warned("", "internal"), "");
  EXPECT_TRUE(says(warned("p", "internal"),
                   "workloads.app.providers: requests for \"m\" must name the provider"));
  EXPECT_TRUE(says(warned("q", "internal, external"),
                   "models.m.tiers: external callers must name the provider"));
}

}  // namespace
}  // namespace penstock::config
