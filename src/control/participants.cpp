#include "control/participants.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "base/rng.h"
#include "control/balancer.h"

namespace penstock::control {
namespace {

constexpr std::uint32_t kWhole = 1'000'000;

}  // namespace

Participants::Participants(Candidates candidates, const TriedSet& tried, Rng& rng) {
  PENSTOCK_ASSERT(candidates.size() <= kReplicasMax);
  bool somebody_is_warm = false;
  for (std::size_t i = 0; i < candidates.size() && !somebody_is_warm; ++i)
    somebody_is_warm =
        can_be_picked(candidates[i], i, tried) && candidates[i].participation.ppm >= kWhole;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!can_be_picked(candidates[i], i, tried)) continue;
    const std::uint32_t share = candidates[i].participation.ppm;
    if (somebody_is_warm && share < kWhole && rng.below(kWhole) >= share) continue;
    indices_[count_++] = static_cast<std::uint16_t>(i);
  }
}

Pair draw_two(const Participants& participants, Rng& rng) {
  const std::span<const std::uint16_t> among = participants.indices();
  PENSTOCK_ASSERT(among.size() >= 2);
  const std::uint64_t first = rng.below(among.size());
  std::uint64_t second = rng.below(among.size() - 1);
  if (second >= first) ++second;
  return {among[first], among[second]};
}

ReplicaIndex draw_by_weight(Candidates candidates, Pair pair, Rng& rng) {
  const std::uint64_t first = candidates[pair.first].weight;
  return rng.below(first + candidates[pair.second].weight) < first ? pair.first : pair.second;
}

}  // namespace penstock::control
