#include "gateway/live_limits.h"

#include "base/units.h"
#include "fleet/provider.h"
#include "gateway/caller_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

namespace {

void apply(const CallerLimits& limits) noexcept {
  limits.state->in_flight.set_limit(limits.in_flight.value_or(LimitState::kNoCeiling));
}

}  // namespace

void apply_limits(Process& process, const Snapshot& snapshot, TimePoint now) {
  process.in_flight.set_limit(snapshot.limits.in_flight);
  process.waiting_room.serve(now);
  for (const fleet::Provider& provider : snapshot.providers)
    provider.state->in_flight.set_limit(provider.in_flight_limit);
  for (const auto& [name, tenant] : snapshot.tenants) {
    apply(tenant.limits);
    for (const auto& [workload, its] : tenant.workloads) apply(its.limits);
  }
}

}  // namespace penstock::gateway
