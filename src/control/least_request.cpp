#include "control/least_request.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "base/rng.h"
#include "control/balancer.h"
#include "control/participants.h"

namespace penstock::control {

std::optional<ReplicaIndex> LeastRequest::pick(Candidates candidates, const TriedSet& tried,
                                               Rng& rng) {
  const Participants among(candidates, tried, rng);
  if (among.indices().empty()) return std::nullopt;
  if (among.indices().size() == 1) return among.indices().front();
  const Pair pair = draw_two(among, rng);
  const Candidate& first = candidates[pair.first];
  const Candidate& second = candidates[pair.second];
  const std::uint64_t first_load = std::uint64_t{first.in_flight} * second.weight;
  const std::uint64_t second_load = std::uint64_t{second.in_flight} * first.weight;
  if (first_load == second_load) return draw_by_weight(candidates, pair, rng);
  return first_load < second_load ? pair.first : pair.second;
}

std::unique_ptr<Balancer> make_least_request() { return std::make_unique<LeastRequest>(); }

}  // namespace penstock::control
