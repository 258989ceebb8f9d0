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
std::optional<TargetIndex> turn(TargetView targets, Indices among,
                                std::vector<std::int64_t>& current) {
  std::int64_t total = 0;
  std::optional<TargetIndex> best;
  for (const std::size_t index : among) {
    current[index] += targets[index].weight;
    total += targets[index].weight;
    if (!best || current[index] > current[*best]) best = index;
  }
  if (best) current[*best] -= total;
  return best;
}

}  // namespace

std::optional<TargetIndex> WeightedRoundRobin::pick(TargetView targets, const TriedSet& tried,
                                                    Rng& rng) {
  if (current_.size() != targets.size()) begin(targets, rng);
  const Participants among(targets, tried, rng);
  return turn(targets, among.indices(), current_);
}

void WeightedRoundRobin::begin(TargetView targets, Rng& rng) {
  current_.assign(targets.size(), 0);
  std::uint64_t total = 0;
  std::uint64_t divisor = 0;
  for (const TargetState& target : targets) {
    total += target.weight;
    divisor = std::gcd(divisor, std::uint64_t{target.weight});
  }
  if (total == 0) return;
  const std::uint64_t period = std::min(total / divisor, kPhasePicksMax);
  auto all = std::views::iota(std::size_t{0}, targets.size()) |
             std::views::filter([&](std::size_t index) { return targets[index].weight > 0; });
  for (std::uint64_t picks = rng.below(period); picks > 0; --picks) turn(targets, all, current_);
}

std::unique_ptr<Balancer> make_weighted_round_robin() {
  return std::make_unique<WeightedRoundRobin>();
}

}  // namespace penstock::control
