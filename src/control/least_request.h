#pragma once

#include <memory>

#include "control/balancer.h"

namespace penstock::control {

// Power of two choices: draws two different participants; the one with less in flight for its
// weight wins, a tie goes by weight at random.
class LeastRequest final : public Balancer {
 public:
  [[nodiscard]] std::optional<ReplicaIndex> pick(Candidates candidates, const TriedSet& tried,
                                                 Rng& rng) override;
};

[[nodiscard]] std::unique_ptr<Balancer> make_least_request();

}  // namespace penstock::control
