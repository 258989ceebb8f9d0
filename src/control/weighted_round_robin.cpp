#include "control/weighted_round_robin.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <vector>

#include "base/rng.h"
#include "control/balancer.h"
#include "control/participants.h"

namespace penstock::control {
namespace {

// Enough to lose the common start; keeps the first pick cheap.
constexpr std::uint64_t kPhasePicksMax = 1024;

template <class Indices>
std::optional<ReplicaIndex> turn(Candidates candidates, Indices among,
                                 std::vector<std::int64_t>& current) {
  std::int64_t total = 0;
  std::optional<ReplicaIndex> best;
  for (const std::size_t index : among) {
    current[index] += candidates[index].weight;
    total += candidates[index].weight;
    if (!best || current[index] > current[*best]) best = index;
  }
  if (best) current[*best] -= total;
  return best;
}

}  // namespace

std::optional<ReplicaIndex> WeightedRoundRobin::pick(Candidates candidates, const TriedSet& tried,
                                                     Rng& rng) {
  if (current_.size() != candidates.size()) begin(candidates, rng);
  const Participants among(candidates, tried, rng);
  return turn(candidates, among.indices(), current_);
}

void WeightedRoundRobin::begin(Candidates candidates, Rng& rng) {
  current_.assign(candidates.size(), 0);
  std::uint64_t total = 0;
  std::uint64_t divisor = 0;
  for (const Candidate& candidate : candidates) {
    total += candidate.weight;
    divisor = std::gcd(divisor, std::uint64_t{candidate.weight});
  }
  if (total == 0) return;
  const std::uint64_t period = std::min(total / divisor, kPhasePicksMax);
  auto all = std::views::iota(std::size_t{0}, candidates.size()) |
             std::views::filter([&](std::size_t index) { return candidates[index].weight > 0; });
  for (std::uint64_t picks = rng.below(period); picks > 0; --picks) turn(candidates, all, current_);
}

std::unique_ptr<Balancer> make_weighted_round_robin() {
  return std::make_unique<WeightedRoundRobin>();
}

}  // namespace penstock::control
