#include "gateway/live_limits.h"

#include "base/units.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

void apply_limits(Process& process, const Snapshot& snapshot, TimePoint now) {
  process.in_flight.set_limit(snapshot.limits.in_flight);
  process.waiting_room.serve(now);
  for (const fleet::Provider& provider : snapshot.providers)
    provider.state->in_flight.set_limit(provider.in_flight_limit);
}

}  // namespace penstock::gateway
