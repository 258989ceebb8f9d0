// Random configs, callers and ways of asking, against an oracle that knows nothing of the gateway's
// code: no attempt ever reaches a provider that is barred to its caller, and nobody is refused what
// the rules give. Reliability goals R8 to R12.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/units.h"
#include "config/load.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/memory_files.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/seeded_rng.h"

namespace penstock::scenario {
namespace {

constexpr std::uint64_t kConfigs = 80;
constexpr std::uint64_t kCallsEach = 60;

using Names = std::set<std::string>;  // empty: all, where a rule may be left out

// Models as providers name them.
constexpr std::string_view kUpstream[] = {"up", "x", "gpt-5"};

struct DrawnPlace {
  std::string provider;
  std::string_view upstream;
  std::uint64_t weight = 1;
};

enum class Way : std::uint8_t { kAny, kNamed };  // whether the request names the provider

struct DrawnModel {
  std::string name;
  std::vector<DrawnPlace> targets;  // the weighted ones first
  std::size_t fallbacks_from = 0;
  Names tiers;
};

struct DrawnCaller {
  std::string tenant;
  std::string workload;
  std::string tier;
  std::vector<std::string> globs;
  Names providers;

  [[nodiscard]] std::string key() const { return "sk-" + tenant + "-" + workload; }
};

// What a glob means, word for word.
bool means(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*')
    return means(pattern.substr(1), name) || (!name.empty() && means(pattern, name.substr(1)));
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         means(pattern.substr(1), name.substr(1));
}

// A config and what follows from it.
class World {
 public:
  explicit World(Rng& rng) : rng_(rng) {
    for (const char* name : {"p0", "p1", "p2", "p3"}) provider_tiers_[name] = draw_tiers();
    for (const char* name : {"chat", "chat-large", "small", "secret", "p1/alias"})
      models_.push_back(draw_model(name));
    for (const char* tenant : {"acme", "public"})
      for (const char* workload : {"day", "night"})
        callers_.push_back(draw_caller(tenant, workload));
  }

  [[nodiscard]] std::string config() const {
    std::string text =
        "version: 1\nlisten: {}\nauth: { mode: keys }\n"
        "retry: { attempts_max: 6, budget: 100%, backoff_base: 1ms, backoff_cap: 2ms }\n"
        "providers:\n";
    for (const auto& [name, tiers] : provider_tiers_)
      text += fmt::format(
          "  {0}: {{ dialect: openai, replicas: [ http://up:8000/{0} ], tiers: [{1}], breaker: {{ "
          "samples_min: 1000 }} }}\n",
          name, joined(tiers));
    text += "models:\n";
    for (const DrawnModel& model : models_) text += model_text(model);
    text += "tenants:\n";
    for (std::size_t i = 0; i < callers_.size(); i += 2)
      text += tenant_text(callers_[i], callers_[i + 1]);
    return text;
  }

  [[nodiscard]] const std::vector<DrawnModel>& models() const { return models_; }
  [[nodiscard]] const DrawnCaller& caller() const { return callers_[rng_.below(callers_.size())]; }

  // The oracle.
  [[nodiscard]] bool may_serve(const DrawnCaller& who, const std::string& provider) const {
    return provider_tiers_.at(provider).contains(who.tier) &&
           (who.providers.empty() || who.providers.contains(provider));
  }
  [[nodiscard]] static bool may_name(const DrawnCaller& who, const std::string& name) {
    return who.globs.empty() || std::ranges::any_of(who.globs, [&](const std::string& glob) {
             return means(glob, name);
           });
  }
  // A place without weight is one for who names its provider.
  [[nodiscard]] bool may_use(const DrawnCaller& who, const DrawnModel& model,
                             Way way = Way::kAny) const {
    return may_name(who, model.name) && model.tiers.contains(who.tier) &&
           std::ranges::any_of(model.targets, [&](const DrawnPlace& place) {
             return may_serve(who, place.provider) && (way == Way::kNamed || place.weight != 0);
           });
  }
  // Whether models lead to a place, and none of them is open to the caller's tier.
  [[nodiscard]] bool hidden(const DrawnCaller& who, const std::string& provider,
                            std::string_view upstream) const {
    bool closed = false;
    for (const DrawnModel& model : models_)
      for (const DrawnPlace& place : model.targets) {
        if (place.provider != provider || place.upstream != upstream) continue;
        if (model.tiers.contains(who.tier)) return false;
        closed = true;
      }
    return closed;
  }
  // Who may be called for a request: nobody when it is to be refused.
  [[nodiscard]] Names allowed(const DrawnCaller& who, const std::string& name,
                              const std::optional<std::string>& header) const {
    Names all;
    for (const DrawnModel& model : models_) {
      if (model.name != name) continue;
      if (!may_use(who, model, header ? Way::kNamed : Way::kAny)) return {};
      for (const DrawnPlace& place : model.targets)
        if ((header ? *header == place.provider : place.weight != 0) &&
            may_serve(who, place.provider))
          all.insert(place.provider);
      return all;
    }
    const std::size_t slash = name.find('/');
    const std::string provider = name.substr(0, slash);
    if (slash == std::string::npos || !provider_tiers_.contains(provider)) return {};
    if (header && *header != provider) return {};
    if (may_name(who, name) && may_serve(who, provider) &&
        !hidden(who, provider, name.substr(slash + 1)))
      all.insert(provider);
    return all;
  }

 private:
  static std::string joined(const Names& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  }

  Names draw_tiers() {
    switch (rng_.below(4)) {
      case 0: return {"internal"};
      case 1: return {"external"};
      default: return {"internal", "external"};
    }
  }

  DrawnModel draw_model(const char* name) {
    DrawnModel model{.name = name, .targets = {}, .fallbacks_from = 0, .tiers = draw_tiers()};
    const std::uint64_t places = 1 + rng_.below(3);
    model.fallbacks_from = 1 + rng_.below(places);
    for (std::uint64_t i = 0; i < places; ++i)
      model.targets.push_back({.provider = fmt::format("p{}", rng_.below(4)),
                               .upstream = kUpstream[rng_.below(std::size(kUpstream))],
                               .weight = i < model.fallbacks_from ? rng_.below(8) : 1});
    return model;
  }

  DrawnCaller draw_caller(const char* tenant, const char* workload) {
    DrawnCaller who{.tenant = tenant,
                    .workload = workload,
                    .tier = std::string_view(tenant) == "acme" ? "internal" : "external",
                    .globs = {},
                    .providers = {}};
    constexpr std::string_view kGlobs[] = {"chat", "chat*", "*",    "s*",      "?hat", "secret",
                                           "p1/*", "*/x",   "p?/x", "*-large", "p1*",  "small"};
    if (rng_.below(3) != 0) {
      Names globs;
      for (std::uint64_t i = 1 + rng_.below(3); i > 0; --i)
        globs.emplace(kGlobs[rng_.below(std::size(kGlobs))]);
      who.globs.assign(globs.begin(), globs.end());
    }
    if (rng_.below(2) == 0)
      for (std::uint64_t i = 1 + rng_.below(3); i > 0; --i)
        who.providers.insert(fmt::format("p{}", rng_.below(4)));
    return who;
  }

  static std::string place_text(const DrawnModel& model, std::size_t i) {
    const DrawnPlace& place = model.targets[i];
    return fmt::format("{{ provider: {}, model: {}{} }}, ", place.provider, place.upstream,
                       i < model.fallbacks_from ? fmt::format(", weight: {}", place.weight) : "");
  }
  static std::string model_text(const DrawnModel& model) {
    std::string targets;
    std::string fallback;
    for (std::size_t i = 0; i < model.targets.size(); ++i)
      (i < model.fallbacks_from ? targets : fallback) += place_text(model, i);
    return fmt::format("  \"{}\": {{ targets: [ {} ], fallback: [ {} ], tiers: [ {} ] }}\n",
                       model.name, targets, fallback, joined(model.tiers));
  }

  static std::string tenant_text(const DrawnCaller& day, const DrawnCaller& night) {
    std::string workloads;
    std::string keys;
    for (const DrawnCaller& who : {day, night}) {
      std::string globs;
      for (const std::string& glob : who.globs) globs += "\"" + glob + "\", ";
      workloads += fmt::format("{}: {{ models: [ {} ], providers: [ {} ] }}, ", who.workload, globs,
                               joined(who.providers));
      keys += fmt::format("{{ id: {0}, workload: {0}, sha256: {1} }}, ", who.workload,
                          crypto::hex_encode(crypto::sha256(who.key())));
    }
    return fmt::format("  {}: {{ tier: {}, workloads: {{ {} }}, keys: [ {} ] }}\n", day.tenant,
                       day.tier, workloads, keys);
  }

  Rng& rng_;
  std::map<std::string, Names> provider_tiers_;
  std::vector<DrawnModel> models_;
  std::vector<DrawnCaller> callers_;
};

bool loads(const std::string& config) {
  support::MemoryDisk disk;
  disk.put("f", config);
  return config::load("f", disk, support::MemorySecrets()).ok();
}

struct Tally {
  std::size_t configs = 0;
  std::size_t served = 0;
  std::size_t refused = 0;
  std::size_t attempts = 0;
  std::size_t moved = 0;  // requests with attempts at several providers
};

// One config and its calls.
class Trial {
 public:
  Trial(World& world, Rng& rng, Tally& tally)
      : world_(world), rng_(rng), tally_(tally), rig_(world.config(), "") {}

  void run() {
    ASSERT_TRUE(rig_.ok());
    for (std::uint64_t i = 0; i < kCallsEach; ++i) {
      const DrawnCaller& who = world_.caller();
      const testing::ScopedTrace trace(__FILE__, __LINE__, who.key());
      if (rng_.below(8) == 0)
        list(who);
      else
        call(who);
    }
    rig_.expect_settled();
  }

 private:
  Reply get(const DrawnCaller& who, const std::string& target) {
    RequestParts parts;
    parts.method = "GET";
    parts.target = target;
    parts.fields = "authorization: Bearer " + who.key() + "\n";
    ClientCall call;
    call.bytes = request_bytes(parts);
    return ask(rig_, call, 1h);
  }

  void list(const DrawnCaller& who) {
    const Reply reply = get(who, "/v1/models");
    EXPECT_EQ(reply.status, 200);
    for (const DrawnModel& model : world_.models()) {
      const bool listed = reply.body.find("{\"id\":\"" + model.name + "\"") != std::string::npos;
      EXPECT_EQ(listed, world_.may_use(who, model)) << model.name;
      EXPECT_EQ(get(who, "/v1/models/" + model.name).status, listed ? 200 : 403) << model.name;
    }
  }

  [[nodiscard]] std::string draw_name() {
    switch (rng_.below(4)) {
      case 0: return fmt::format("p{}/x", rng_.below(5));
      case 1: return rng_.below(2) == 0 ? "nothing" : "p2/gpt-5";
      default: return world_.models()[rng_.below(world_.models().size())].name;
    }
  }

  void prepare_answers(Streamed streamed) {
    test::Answer good = test::json_answer("{}");
    if (streamed == Streamed::kYes) {
      good.steps = {test::stream_head()};
      good.steps.push_back(*text_step("text", "Hi"));
      good.steps.push_back(*text_step("finish", "stop"));
      good.steps.push_back(*plain_step("done"));
      good.steps.push_back(*plain_step("last"));
    }
    constexpr int kFaults[] = {500, 401, 404, 503, 408};
    for (std::uint64_t left = rng_.below(4); left > 0; --left)
      rig_.upstream.answer(test::json_answer(kFaults[rng_.below(std::size(kFaults))], "{}"));
    rig_.upstream.answer_always(good);
  }

  void call(const DrawnCaller& who) {
    const std::string name = draw_name();
    std::optional<std::string> header;
    if (rng_.below(3) == 0) header = fmt::format("p{}", rng_.below(5));
    const Streamed streamed = rng_.below(2) == 0 ? Streamed::kYes : Streamed::kNo;
    RequestParts parts;
    parts.target = rng_.below(4) == 0 ? "/v1/completions" : "/v1/chat/completions";
    parts.fields = "authorization: Bearer " + who.key() + "\n";
    if (header) parts.fields += "x-penstock-provider: " + *header + "\n";
    parts.body = fmt::format(R"({{"model":"{}","stream":{}}})", name, streamed == Streamed::kYes);
    ClientCall sent;
    sent.bytes = request_bytes(parts);
    const std::size_t before = rig_.upstream.requests().size();
    prepare_answers(streamed);
    const Reply reply = ask(rig_, sent, 1h, 10ms);
    check(who, name, header, before, reply);
    rig_.upstream.forget_answers();
  }

  void check(const DrawnCaller& who, const std::string& name,
             const std::optional<std::string>& header, std::size_t before, const Reply& reply) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, name + " at " + header.value_or("any"));
    const Names allowed = world_.allowed(who, name, header);
    Names reached;
    for (std::size_t i = before; i < rig_.upstream.requests().size(); ++i) {
      const std::string& target = rig_.upstream.requests()[i].target;
      reached.insert(target.substr(1, target.find('/', 1) - 1));
      ++tally_.attempts;
    }
    for (const std::string& provider : reached)
      EXPECT_TRUE(allowed.contains(provider)) << provider << " was called";
    const bool refused = reply.status == 403 || reply.status == 404;
    if (allowed.empty()) {
      EXPECT_TRUE(refused) << reply.status << ' ' << reply.body;
      ++tally_.refused;
    } else {
      EXPECT_FALSE(reached.empty()) << reply.status << ' ' << reply.body;
      tally_.served += reply.status == 200 ? 1 : 0;
      tally_.moved += reached.size() > 1 ? 1 : 0;
    }
  }

  World& world_;
  Rng& rng_;
  Tally& tally_;
  GatewayRig rig_;
};

TEST(Authorization, NoAttemptReachesABarredProvider) {
  const std::uint64_t seed = test::seed_of_test(20250102);
  const testing::ScopedTrace trace(__FILE__, __LINE__, test::rerun_with(seed));
  test::SeededRng rng(seed);
  Tally tally;
  for (std::uint64_t draws = 0; tally.configs < kConfigs; ++draws) {
    ASSERT_LT(draws, 100 * kConfigs) << "nearly all configs have a rule that cannot bind";
    World world(rng);
    if (!loads(world.config())) continue;
    ++tally.configs;
    const testing::ScopedTrace drawn(__FILE__, __LINE__, world.config());
    Trial(world, rng, tally).run();
    if (testing::Test::HasFailure()) return;  // one config is enough to read
  }
  // It proves nothing where everything is refused, or nobody ever moves on.
  EXPECT_GT(tally.served, kConfigs * 5);
  EXPECT_GT(tally.refused, kConfigs * 5);
  EXPECT_GT(tally.moved, kConfigs / 2);
  EXPECT_GT(tally.attempts, tally.served);
}

}  // namespace
}  // namespace penstock::scenario
