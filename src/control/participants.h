#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rng.h"
#include "control/balancer.h"

namespace penstock::control {

// Those that take part in one pick: eligible, not tried, and drawn by their slow start. When all of
// them are in slow start nobody is held back. Empty only when nothing can be picked.
class Participants {
 public:
  Participants(Candidates candidates, const TriedSet& tried, Rng& rng);

  [[nodiscard]] std::span<const std::uint16_t> indices() const noexcept {
    return {indices_.data(), count_};
  }

 private:
  std::array<std::uint16_t, kReplicasMax> indices_;
  std::size_t count_ = 0;
};

// Two different ones of `participants`, each pair equally likely. At least two.
struct Pair {
  ReplicaIndex first = 0;
  ReplicaIndex second = 0;
};
[[nodiscard]] Pair draw_two(const Participants& participants, Rng& rng);

// One of the two at random, in proportion to their weights.
[[nodiscard]] ReplicaIndex draw_by_weight(Candidates candidates, Pair pair, Rng& rng);

}  // namespace penstock::control
