#include "app/provider_reads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "control/breaker.h"
#include "control/health.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "gateway/snapshot.h"
#include "net/connection_permits.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {
namespace {

using State = std::shared_ptr<fleet::ProviderState>;

double health_value(control::HealthState health) noexcept {
  switch (health) {
    case control::HealthState::kHealthy: return 1;
    case control::HealthState::kUnhealthy: return 0;
    case control::HealthState::kUnknown: break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

telemetry::ReplicaReads replica_reads(const fleet::Provider& provider, std::size_t index,
                                      const Clock& clock) {
  const State state = provider.state;
  return {
      .replica = provider.replicas[index].name,
      .status =
          [state, index, &clock] {
            return static_cast<double>(state->replicas[index].breaker.state(clock.now()));
          },
      .healthy = [state, index] { return health_value(state->replicas[index].health.state()); },
      .in_flight = [state,
                    index] { return static_cast<double>(state->replicas[index].in_flight.load()); },
  };
}

}  // namespace

std::vector<telemetry::ProviderReads> provider_reads(const gateway::Snapshot& snapshot,
                                                     const Clock& clock) {
  std::vector<telemetry::ProviderReads> reads;
  for (const fleet::Provider& provider : snapshot.providers) {
    const std::shared_ptr<net::ConnectionPermits> permits = provider.permits;
    const State state = provider.state;
    // What was told as idle is not told as active too: a scrape reads one after the other, and
    // their sum is never more than there are.
    const auto idle = std::make_shared<std::uint32_t>(0);
    reads.push_back(
        {.provider = provider.name,
         .idle = [permits, idle] { return static_cast<double>(*idle = permits->idle.load()); },
         .active =
             [permits, idle] {
               const std::uint32_t taken = permits->taken();
               return static_cast<double>(taken - std::min(taken, *idle));
             },
         .waiting = [permits] { return static_cast<double>(permits->waiting()); },
         .retry_budget = [state, &clock] { return state->retry_budget.ratio(clock.now()); },
         .replicas = {}});
    for (std::size_t i = 0; i < provider.replicas.size(); ++i)
      reads.back().replicas.push_back(replica_reads(provider, i, clock));
  }
  return reads;
}

}  // namespace penstock::app
