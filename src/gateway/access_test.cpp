#include "gateway/access.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/principal.h"
#include "base/tier_set.h"
#include "gateway/policy.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"
#include "policy/glob.h"

namespace penstock::gateway {
namespace {

// Providers: 0 for all, 1 for internal callers, 2 for external ones.
class AccessTest : public testing::Test {
 protected:
  void SetUp() override {
    snapshot.providers.resize(3);
    snapshot.providers[1].tiers = only(Tier::kInternal);
    snapshot.providers[2].tiers = only(Tier::kExternal);
    add("chat", {0, 1});
    add("inner", {1});
    add("staff", {0}).tiers = only(Tier::kInternal);
  }
  static TierSet only(Tier tier) {
    TierSet tiers = TierSet::none();
    tiers.add(tier);
    return tiers;
  }
  Model& add(const char* name, const std::vector<std::size_t>& providers) {
    Model& model = snapshot.models[name];
    model.name = name;
    for (const std::size_t provider : providers) {
      model.targets.push_back({.provider = provider, .model = "up"});
      model.plan.push_back(model.targets.back().planned());
    }
    snapshot.model_names.emplace_back(name);
    return model;
  }
  [[nodiscard]] Access internal(const Workload* workload = nullptr) const {
    return {snapshot, workload, Tier::kInternal};
  }
  [[nodiscard]] Access external(const Workload* workload = nullptr) const {
    return {snapshot, workload, Tier::kExternal};
  }

 public:
  Snapshot snapshot;
};

using Names = std::vector<std::string_view>;

TEST_F(AccessTest, TiersBarProvidersAndModels) {
  EXPECT_EQ(internal().provider(1), Barred::kNo);
  EXPECT_EQ(external().provider(1), Barred::kTiers);
  EXPECT_EQ(internal().provider(2), Barred::kTiers);
  EXPECT_EQ(internal().models(), (Names{"chat", "inner", "staff"}));
  EXPECT_EQ(external().models(), Names{"chat"});
  EXPECT_EQ(external().model(snapshot.models.at("inner")), Barred::kTiers) << "nobody serves it";
  EXPECT_EQ(external().model(snapshot.models.at("staff")), Barred::kTiers) << "by itself";
}

TEST_F(AccessTest, WorkloadsNameModelsAndProviders) {
  Workload workload;
  workload.models = {policy::Glob("ch*"), policy::Glob("p?/x")};
  EXPECT_EQ(internal(&workload).models(), Names{"chat"});
  EXPECT_EQ(internal(&workload).asked("p1/x"), Barred::kNo);
  EXPECT_EQ(internal(&workload).asked("p1/y"), Barred::kModels);
  workload.models.clear();
  workload.providers = {false, true, true};
  EXPECT_EQ(internal(&workload).provider(0), Barred::kProviders);
  EXPECT_EQ(external(&workload).provider(1), Barred::kTiers) << "both rules hold";
  EXPECT_EQ(internal(&workload).models(), (Names{"chat", "inner"}));
}

TEST_F(AccessTest, PlacesBelongToTheModelsThatLeadThere) {
  EXPECT_EQ(external().place(0, "up"), Barred::kNo) << "chat leads there too";
  snapshot.models.at("staff").targets[0].model = "secret";
  EXPECT_EQ(external().place(0, "secret"), Barred::kTiers);
  EXPECT_EQ(external().place(0, "SECRET"), Barred::kTiers) << "providers may ignore case";
  EXPECT_EQ(external().place(0, "\u017Fecret"), Barred::kTiers) << "by Unicode's folding too";
  EXPECT_EQ(external().place(1, "secret"), Barred::kNo) << "the same name elsewhere";
  EXPECT_EQ(external().place(0, "unheard-of"), Barred::kNo);
  EXPECT_EQ(internal().place(0, "secret"), Barred::kNo);
  Route slash;
  slash.name({.provider = 0, .model = "secret"});
  const auto closed = judge_route(slash, "p0/secret", external());
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->error.code, ErrorCode::kModelNotAllowed);
  EXPECT_EQ(closed->by, Barred::kTiers);
}

TEST_F(AccessTest, KnowsWhetherAnythingIsBarred) {
  EXPECT_EQ(external().anything(), Barred::kTiers);
  snapshot.providers[1].tiers = snapshot.providers[2].tiers = TierSet();
  EXPECT_EQ(external().anything(), Barred::kTiers) << "a model";
  EXPECT_EQ(internal().anything(), Barred::kNo);
  Workload workload;
  EXPECT_EQ(internal(&workload).anything(), Barred::kNo);
  workload.providers = {true, true, true};
  EXPECT_EQ(internal(&workload).anything(), Barred::kProviders);
  workload.models = {policy::Glob("*")};
  EXPECT_EQ(internal(&workload).anything(), Barred::kModels);
}

TEST_F(AccessTest, PlacesOfNoWeightAreForThoseWhoNameThem) {
  Model& chat = snapshot.models.at("chat");
  chat.targets[0].weight = 0;
  EXPECT_EQ(external().model(chat), Barred::kTiers) << "the place with weight is barred";
  EXPECT_EQ(external().model(chat, Route::ChosenBy::kClient), Barred::kNo);
  EXPECT_EQ(internal().model(chat), Barred::kNo);
  EXPECT_TRUE(external().models().empty());
  chat.targets[1].weight = 0;
  EXPECT_EQ(internal().model(chat), Barred::kNo) << "nothing bars it";
}

// A route that keeps nothing must not fall back to everything.
TEST_F(AccessTest, RouteKeepsWhatIsAllowedIfOnlyNothing) {
  Route chat{.model = &snapshot.models.at("chat")};
  keep_allowed(chat, internal());
  EXPECT_FALSE(chat.narrowed) << "nothing is copied where nothing is barred";
  EXPECT_EQ(chat.targets().size(), 2U);
  keep_allowed(chat, external());
  ASSERT_EQ(chat.targets().size(), 1U);
  EXPECT_EQ(chat.targets()[0].provider, 0U);
  EXPECT_EQ(chat.plan().size(), 1U);
  Route inner{.model = &snapshot.models.at("inner")};
  keep_allowed(inner, external());
  EXPECT_TRUE(inner.targets().empty());
  EXPECT_TRUE(inner.plan().empty());
}

TEST_F(AccessTest, JudgesRoutes) {
  Route chat{.model = &snapshot.models.at("chat")};
  EXPECT_FALSE(judge_route(chat, "chat", external()));
  EXPECT_EQ(chat.targets().size(), 1U);
  Route inner{.model = &snapshot.models.at("inner")};
  EXPECT_EQ(judge_route(inner, "inner", external())->error.code, ErrorCode::kModelNotAllowed);
  Route named{.model = &snapshot.models.at("chat")};
  named.name({.provider = 1, .model = "up"});
  const auto closed = judge_route(named, "chat", external());
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->error.code, ErrorCode::kProviderNotAllowed);
  EXPECT_EQ(closed->error.param, "x-penstock-provider");
  EXPECT_EQ(closed->by, Barred::kTiers);
  Route slash;
  slash.name({.provider = 2, .model = "x"});
  EXPECT_FALSE(judge_route(slash, "p2/x", external()));
  EXPECT_EQ(judge_route(slash, "p2/x", internal())->error.param, "model");
}

}  // namespace
}  // namespace penstock::gateway
