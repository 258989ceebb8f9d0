#include "gateway/live_limits.h"

#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

void apply_limits(Process& process, const Snapshot& snapshot) {
  process.in_flight.set_limit(snapshot.limits.in_flight);
  for (const fleet::Provider& provider : snapshot.providers)
    provider.state->in_flight.set_limit(provider.in_flight_limit);
}

}  // namespace penstock::gateway
