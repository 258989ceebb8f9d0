#include "config/live_config.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "config/config.h"
#include "config/load.h"
#include "config/path.h"
#include "config/show.h"
#include "config/values.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

constexpr std::string_view kFile =
    "version: 1\n"
    "listen: {}\n"
    "auth: { mode: dev }\n"
    "retry:\n"
    "  budget: 20%\n"
    "tenants: { retail: { workloads: { support: {} } } }\n"
    "providers:\n"
    "  stable: { dialect: openai, replicas: [ http://a:1 ] }\n"
    "  canary: { dialect: openai, replicas: [ http://b:1 ] }\n"
    "models:\n"
    "  chat: { targets: [ { provider: stable, model: up, weight: 9 }, { provider: canary, model: "
    "up "
    "} ] }\n";

class LiveConfigTest : public testing::Test {
 protected:
  static LoadResult loaded() {
    support::MemoryDisk disk;
    disk.put("penstock.yaml", std::string(kFile));
    return load("penstock.yaml", disk, support::MemorySecrets());
  }

  // The paths that a patch changes, once it is in force.
  std::vector<std::string> apply(std::string_view patch) {
    Result<LiveConfig::Draft> draft = live.draft(patch);
    if (!draft) {
      ADD_FAILURE() << draft.error().message;
      return {};
    }
    std::vector<std::string> paths;
    for (const ChangedValue& change : draft->changes) paths.push_back(change.path);
    live.take(*std::move(draft));
    return paths;
  }

  // What is said against a patch; empty when nothing is. The config must stay as it was.
  std::string complaint(std::string_view patch, ErrorCode code = ErrorCode::kInvalidRequest) {
    const std::string before = show(live.current());
    const Result<LiveConfig::Draft> draft = live.draft(patch);
    EXPECT_EQ(show(live.current()), before) << patch;
    if (draft) return "";
    EXPECT_EQ(draft.error().code, code) << patch;
    return draft.error().message;
  }

  const Config& config() { return live.current().config; }
  [[nodiscard]] std::uint32_t weight(std::size_t target) {
    return config().models.find("chat")->targets[target].weight;
  }

 public:
  LiveConfig live{loaded()};
};

using Paths = std::vector<std::string>;

TEST_F(LiveConfigTest, ChangesEveryLiveField) {
  EXPECT_EQ(apply(R"({"retry":{"budget":"0%"}})"), Paths{"retry.budget"});
  EXPECT_EQ(config().retry.budget.ppm, 0U);
  EXPECT_EQ(apply(R"({"limits":{"in_flight":1},"stream":{"heartbeat":"1s"}})"),
            (Paths{"limits.in_flight", "stream.heartbeat"}));
  EXPECT_EQ(apply(R"({"providers":{"stable":{"breaker":{"slow_call":"off","rate":"40%"},
      "limits":{"in_flight":5},"timeouts":{"connect":"2s","idle":"9s"},"slow_start":"0s"}}})"),
            (Paths{"providers.stable.limits.in_flight", "providers.stable.timeouts.connect",
                   "providers.stable.timeouts.idle", "providers.stable.slow_start",
                   "providers.stable.breaker.slow_call", "providers.stable.breaker.rate"}));
  EXPECT_EQ(config().providers.find("stable")->breaker.slow_call, std::nullopt);
  EXPECT_EQ(apply(R"({"models":{"chat":{"deadline":"5s"}}})"), Paths{"models.chat.deadline"});
  EXPECT_EQ(apply(R"({"tenants":{"retail":{"limits":{"requests":"5/s","in_flight":3},
      "workloads":{"support":{"priority":"batch","limits":{"in_flight":1}}}}}})"),
            (Paths{"tenants.retail.limits.requests", "tenants.retail.limits.in_flight",
                   "tenants.retail.workloads.support.priority",
                   "tenants.retail.workloads.support.limits.in_flight"}));
  EXPECT_EQ(config().retry.budget.ppm, 0U) << "an earlier change is still in force";
  EXPECT_EQ(config().retry.attempts_max, 3U);
}

// A list of plain values is replaced as a whole, an empty one included.
TEST_F(LiveConfigTest, ReplacesListsOfValues) {
  EXPECT_EQ(apply(R"({"tenants":{"retail":{"workloads":{"support":{"models":["chat","ch*"],
      "providers":["stable"],"output_tokens_max":5}}}}})"),
            (Paths{"tenants.retail.workloads.support.models[0]",
                   "tenants.retail.workloads.support.models[1]",
                   "tenants.retail.workloads.support.providers[0]",
                   "tenants.retail.workloads.support.output_tokens_max"}));
  EXPECT_EQ(apply(R"({"tenants":{"retail":{"workloads":{"support":{"models":["ch*"]}}}}})"),
            (Paths{"tenants.retail.workloads.support.models[0]",
                   "tenants.retail.workloads.support.models[1]"}))
      << "what is gone is told too";
  EXPECT_EQ(apply(R"({"tenants":{"retail":{"workloads":{"support":{"models":[]}}}}})"),
            Paths{"tenants.retail.workloads.support.models[0]"});
  EXPECT_EQ(apply(R"({"providers":{"canary":{"tiers":["internal"]}}})"),
            Paths{"providers.canary.tiers[1]"});
  EXPECT_NE(complaint(R"({"tenants":{"retail":{"workloads":{"support":{"models":["nope"]}}}}})"),
            "");
  EXPECT_NE(complaint(R"({"tenants":{"retail":{"workloads":{"support":{"models":[null]}}}}})"), "");
  EXPECT_NE(complaint(R"({"tenants":{"retail":{"workloads":{"support":{"models":"chat"}}}}})"), "");
  EXPECT_NE(complaint(R"({"providers":{"canary":{"tiers":[]}}})").find("nobody"),
            std::string::npos);
  apply(R"({"tenants":null,"providers":null})");
  EXPECT_EQ(show(live.current()), show(loaded())) << "nothing is left behind";
}

TEST_F(LiveConfigTest, NullGivesBackToTheFile) {
  apply(R"({"retry":{"budget":"0%","attempts_max":1}})");
  EXPECT_EQ(apply(R"({"retry":{"budget":null}})"), Paths{"retry.budget"});
  EXPECT_EQ(config().retry.budget.ppm, 200'000U) << "the file's value, not the default";
  EXPECT_EQ(config().retry.attempts_max, 1U);
  EXPECT_EQ(apply(R"({"retry":null})"), Paths{"retry.attempts_max"});
  EXPECT_EQ(config().retry.attempts_max, 3U);
  EXPECT_TRUE(apply(R"({"retry":null,"providers":{"stable":null},"listen":null})").empty());
  EXPECT_EQ(show(live.current()), show(loaded())) << "nothing is left behind";
}

TEST_F(LiveConfigTest, ChangesWeightsByProvider) {
  EXPECT_EQ(apply(R"({"models":{"chat":{"weights":{"stable":50,"canary":50}}}})"),
            (Paths{"models.chat.targets[0].weight", "models.chat.targets[1].weight"}));
  EXPECT_EQ(weight(0), 50U);
  EXPECT_EQ(weight(1), 50U);
  apply(R"({"models":{"chat":{"weights":{"stable":null}}}})");
  EXPECT_EQ(weight(0), 9U);
  EXPECT_EQ(weight(1), 50U);
  apply(R"({"models":{"chat":{"weights":null}}})");
  EXPECT_EQ(weight(1), 1U);
  apply(R"({"models":{"chat":{"weights":{"canary":7}}}})");
  apply(R"({"models":{"chat":null}})");
  EXPECT_EQ(weight(1), 1U);
  apply(R"({"models":{"chat":{"weights":{"canary":7}}}})");
  apply(R"({"models":null})");
  EXPECT_EQ(weight(1), 1U);
}

TEST_F(LiveConfigTest, RefusesAsCheckDoes) {
  EXPECT_NE(complaint(R"({"retry":{"budget":"banana"}})").find("such as"), std::string::npos);
  EXPECT_NE(complaint(R"({"retry":{"budgett":"1%"}})").find(R"(did you mean "budget")"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"retry":{"budgett":null}})"), "");
  EXPECT_NE(complaint(R"({"retry":{"attempts_max":-1}})"), "");
  EXPECT_NE(complaint(R"({"retry":{"attempts_max":1000}})").find("1 to 100"), std::string::npos);
  EXPECT_NE(complaint(R"({"retry":5})"), "");
  EXPECT_NE(complaint(R"({"retry":{"budget":{"x":1}}})"), "");
  EXPECT_NE(complaint(R"({"limits":{"in_flight":"1"}})"), "");
  EXPECT_NE(complaint(R"({"nothing":1})"), "");
  EXPECT_NE(complaint(R"({"providers":{"stabel":{"slow_start":"1s"}}})").find("stable"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"models":{"chat":{"weights":{"canari":1}}}})").find("canary"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"models":{"chat":{"weights":5}}})"), "");
  EXPECT_NE(complaint(R"({"models":{"chat":{"weights":{"stable":-1}}}})"), "");
  EXPECT_NE(complaint(R"({"models":{"chatt":{"weights":{"stable":1}}}})"), "");
  EXPECT_NE(complaint(R"({"models":{"chat":{"weights":{"stable":0,"canary":0}}}})"), "");
  EXPECT_NE(complaint(R"({"retry":{"budget":"1%","budget":"2%"}})"), "");
  EXPECT_NE(complaint("[]"), "");
  EXPECT_NE(complaint("null"), "");
  EXPECT_NE(complaint("{broken", ErrorCode::kInvalidJson), "");
  EXPECT_NE(complaint("retry: { budget: 0% }", ErrorCode::kInvalidJson), "");
}

TEST_F(LiveConfigTest, RefusesWhatNeedsARestart) {
  for (const char* patch :
       {R"({"listen":{"data":"127.0.0.1:1"}})", R"({"admin":{"token":"env:OTHER"}})",
        R"({"auth":{"mode":"keys"}})", R"({"workers":2})", R"({"version":null})",
        R"({"limits":{"body_memory":"2GiB"}})", R"({"models":{"chat":{"targets":[]}}})",
        R"({"providers":{"stable":{"replicas":[]}}})",
        R"({"providers":{"stable":{"key":"env:X"}}})",
        R"({"providers":{"stable":{"health":{"interval":"1s"}}}})"})
    EXPECT_NE(complaint(patch).find("restart"), std::string::npos) << patch;
}

// All that is wrong is told at once, and one bad field keeps the good ones out too.
TEST_F(LiveConfigTest, IsAllOrNothing) {
  const std::string told =
      complaint(R"({"retry":{"budget":"0%","attempts_max":0},"stream":{"heartbeat":"1"}})");
  EXPECT_NE(told.find("attempts_max"), std::string::npos);
  EXPECT_NE(told.find("heartbeat"), std::string::npos);
  EXPECT_EQ(config().retry.budget.ppm, 200'000U);
}

TEST_F(LiveConfigTest, ShowsWhereAValueComesFrom) {
  apply(R"({"retry":{"budget":"0%"},"models":{"chat":{"weights":{"canary":2}}}})");
  const Origins& origins = live.current().origins;
  EXPECT_EQ(origins.text("retry.budget", "a/penstock.yaml"), "patch");
  EXPECT_EQ(origins.text("retry.attempts_max", "a/penstock.yaml"), "default");
  EXPECT_EQ(origins.text("models.chat.targets[0].weight", "a/penstock.yaml"), "penstock.yaml:11");
  EXPECT_EQ(origins.text("models.chat.targets[1].weight", "a/penstock.yaml"), "patch");
}

// --- Reloads of the file

LoadResult file_of(std::string text) {
  support::MemoryDisk disk;
  disk.put("penstock.yaml", std::move(text));
  return load("penstock.yaml", disk, support::MemorySecrets());
}

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kFile);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Keys come and go, tenants too; live changes stay on top.
TEST_F(LiveConfigTest, ReloadTakesTheFileUnderTheLiveChanges) {
  apply(R"({"retry":{"attempts_max":7},"models":{"chat":{"weights":{"canary":5}}}})");
  Result<LiveConfig::Draft> draft = live.reload(file_of(changed(
      "tenants: { retail: { workloads: { support: {} } } }",
      "tenants: { retail: { tier: external, workloads: { support: {}, sales: {} } }, new: {} }")));
  ASSERT_TRUE(draft) << draft.error().message;
  live.take(*std::move(draft));
  EXPECT_NE(config().tenants.find("new"), nullptr);
  EXPECT_NE(config().tenants.find("retail")->workloads.find("sales"), nullptr);
  EXPECT_EQ(config().retry.attempts_max, 7U);
  EXPECT_EQ(weight(1), 5U);
  apply(R"({"retry":null})");
  EXPECT_EQ(config().retry.attempts_max, 3U);

  draft = live.reload(file_of(std::string(kFile)));
  ASSERT_TRUE(draft) << draft.error().message;
  for (const std::string_view gone :
       {"tenants.new.tier", "tenants.retail.workloads.sales.priority"}) {
    const auto at = std::ranges::find(draft->changes, gone, &ChangedValue::path);
    ASSERT_NE(at, draft->changes.end()) << gone;
    EXPECT_EQ(at->after, std::nullopt) << gone;
  }
  live.take(*std::move(draft));
  EXPECT_EQ(config().tenants.find("new"), nullptr);
}

TEST_F(LiveConfigTest, ReloadRefusesWhatNeedsARestartAndNamesIt) {
  const auto complaint_of = [this](std::string text) {
    const std::string before = show(live.current());
    const Result<LiveConfig::Draft> draft = live.reload(file_of(std::move(text)));
    EXPECT_EQ(show(live.current()), before);
    return draft ? std::string() : draft.error().message;
  };
  EXPECT_EQ(complaint_of(std::string(kFile)), "");
  EXPECT_NE(complaint_of(changed("listen: {}", "listen: { connections: 7 }"))
                .find("penstock.yaml:2:24: listen.connections: takes effect at a restart only"),
            std::string::npos);
  EXPECT_NE(complaint_of(changed("http://b:1", "http://c:1")).find("providers.canary.replicas[0]"),
            std::string::npos);
  EXPECT_NE(complaint_of(changed("  canary: {",
                                 "  third: { dialect: openai, replicas: [ http://c:1 "
                                 "] }\n  canary: {"))
                .find("providers.third.dialect"),
            std::string::npos)
      << "a provider more";
  EXPECT_NE(complaint_of(std::string(kFile) + "nothing: 1\n").find("nothing"), std::string::npos);
  EXPECT_NE(complaint_of(""), "");
  EXPECT_NE(complaint_of("{broken"), "");
}

}  // namespace
}  // namespace penstock::config
