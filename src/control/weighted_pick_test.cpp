#include "control/weighted_pick.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace penstock::control {
namespace {

// Steps through [0, 2^64) in 1,000 even steps, so that shares come out exactly.
class EvenRng final : public Rng {
 public:
  std::uint64_t next() override { return step_++ * (UINT64_MAX / 1000); }
  std::unique_ptr<Rng> fork(std::string_view) override { return std::make_unique<EvenRng>(); }

 private:
  std::uint64_t step_ = 0;
};

constexpr auto kItself = [](std::uint32_t weight) { return weight; };

// 90/10 means 900 and 100 of a thousand even draws; weight 0 is never drawn.
TEST(WeightedPick, SharesFollowTheWeights) {
  EvenRng rng;
  const std::vector<std::uint32_t> weights{90, 0, 10};
  std::array<int, 3> drawn{};
  for (int i = 0; i < 1000; ++i) ++drawn[*weighted_pick(weights, kItself, rng)];
  EXPECT_EQ(drawn[1], 0);
  EXPECT_NEAR(drawn[0], 900, 1);
  EXPECT_NEAR(drawn[2], 100, 1);
}

// Nothing to draw from is said, not guessed.
TEST(WeightedPick, NothingWithoutWeight) {
  EvenRng rng;
  EXPECT_FALSE(weighted_pick(std::vector<std::uint32_t>{}, kItself, rng).has_value());
  EXPECT_FALSE(weighted_pick(std::vector<std::uint32_t>{0, 0}, kItself, rng).has_value());
}

}  // namespace
}  // namespace penstock::control
