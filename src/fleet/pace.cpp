#include "fleet/pace.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "control/degraded_limit.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"

namespace penstock::fleet {

control::ProviderPace pace_of(const Provider& provider, TimePoint now) {
  const std::vector<ReplicaState>& replicas = provider.state->replicas;
  std::uint64_t slow_ppm = 0;
  for (const ReplicaState& replica : replicas)
    slow_ppm += replica.breaker.slow_rate(provider.breaker, now).ppm;
  const bool slow = slow_ppm != 0 && slow_ppm * 2 >= replicas.size() * provider.breaker.rate.ppm;
  return slow ? control::ProviderPace::kDegraded : control::ProviderPace::kSound;
}

void PaceKeeper::tick(const std::vector<Provider>& providers, TimePoint now) {
  limits_.resize(providers.size());
  for (std::size_t i = 0; i < providers.size(); ++i) {
    const Provider& provider = providers[i];
    limits_[i].tick(pace_of(provider, now), now);
    provider.state->in_flight.set_limit(limits_[i].of(provider.in_flight_limit));
    provider.state->degraded.store(limits_[i].pace() == control::ProviderPace::kDegraded);
  }
}

}  // namespace penstock::fleet
