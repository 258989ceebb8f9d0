#include "fleet/route.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "fleet/provider.h"
#include "tests/support/scripted_rng.h"

namespace penstock::fleet {
namespace {

using test::draw;
using test::ScriptedRng;

std::vector<Provider> providers() {
  std::vector<Provider> made(3);
  made[0].name = "a";
  made[1].name = "b";
  made[2].name = "c";
  return made;
}

Target target(std::size_t provider, std::uint32_t weight) {
  Target made;
  made.provider = provider;
  made.weight = weight;
  return made;
}

// Each of the drawn numbers belongs to exactly one target, in proportion to its weight.
TEST(PickTarget, DrawsByWeight) {
  const std::vector<Target> targets{target(0, 2), target(1, 0), target(2, 3)};
  constexpr std::array<std::size_t, 5> kWanted{0, 0, 2, 2, 2};
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    ScriptedRng rng{draw(i, 5)};
    EXPECT_EQ(pick_target(targets, providers(), "", rng).value(), kWanted[i]) << i;
  }
}

TEST(PickTarget, OnlyProviderLimitsTheDraw) {
  const std::vector<Target> targets{target(0, 5), target(1, 1), target(1, 3)};
  for (std::size_t i = 0; i < 4; ++i) {
    ScriptedRng rng{draw(i, 4)};
    EXPECT_EQ(pick_target(targets, providers(), "b", rng).value(), i == 0 ? 1U : 2U) << i;
  }
}

// A provider outside the model's targets: the model is not found there.
TEST(PickTarget, ProviderThatDoesNotServeTheModel) {
  const std::vector<Target> targets{target(0, 1)};
  for (const char* only : {"b", "unknown"}) {
    ScriptedRng rng{};
    EXPECT_EQ(pick_target(targets, providers(), only, rng).error().code, ErrorCode::kModelNotFound);
  }
}

TEST(PickTarget, WithoutAnyWeightThereIsNoReplica) {
  const std::vector<Target> targets{target(0, 0), target(1, 1)};
  ScriptedRng rng{};
  EXPECT_EQ(pick_target(targets, providers(), "a", rng).error().code, ErrorCode::kNoReplica);
  const std::vector<Target> none{target(0, 0)};
  EXPECT_EQ(pick_target(none, providers(), "", rng).error().code, ErrorCode::kNoReplica);
  EXPECT_EQ(pick_target({}, providers(), "", rng).error().code, ErrorCode::kNoReplica);
}

TEST(PickReplica, DrawsByWeight) {
  Provider provider;
  provider.replicas.resize(2);
  provider.replicas[1].weight = 3;
  for (std::size_t i = 0; i < 4; ++i) {
    ScriptedRng rng{draw(i, 4)};
    EXPECT_EQ(pick_replica(provider, rng).value(), i == 0 ? 0U : 1U) << i;
  }
}

// The usual provider with one replica costs no draw.
TEST(PickReplica, OneReplicaNeedsNoDraw) {
  Provider provider;
  provider.replicas.resize(1);
  ScriptedRng rng{};
  EXPECT_EQ(pick_replica(provider, rng).value(), 0U);
}

TEST(PickReplica, NoneIsNoReplica) {
  const Provider provider;
  ScriptedRng rng{};
  EXPECT_EQ(pick_replica(provider, rng).error().code, ErrorCode::kNoReplica);
}

}  // namespace
}  // namespace penstock::fleet
