#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "control/balancer.h"

namespace penstock::control {

// Smooth weighted round robin over the participants only: each pick raises all of them by their
// weight, takes the highest and lowers it by the sum. Begins at a random phase, so that workers and
// gateways that start together do not send to the same replica together.
// source: nginx, smooth weighted balancing; without its failure weight.
class WeightedRoundRobin final : public Balancer {
 public:
  [[nodiscard]] std::optional<ReplicaIndex> pick(Candidates candidates, const TriedSet& tried,
                                                 Rng& rng) override;

 private:
  void begin(Candidates candidates, Rng& rng);
  std::vector<std::int64_t> current_;  // by index
};

[[nodiscard]] std::unique_ptr<Balancer> make_weighted_round_robin();

}  // namespace penstock::control
