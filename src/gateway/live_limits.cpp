#include "gateway/live_limits.h"

#include <optional>

#include "base/units.h"
#include "control/rate_bucket.h"
#include "fleet/provider.h"
#include "gateway/caller_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

namespace {

// What was used stays used: a bucket keeps its debt as time, which is worth more at a higher rate.
void reshape(control::RateBucket& bucket, std::optional<control::BucketShape>& shape,
             const std::optional<control::BucketShape>& next, TimePoint now) noexcept {
  if (!next) return;
  if (shape) bucket.reshape(*shape, *next, now);
  shape = next;
}

void apply(const CallerLimits& limits, TimePoint now) noexcept {
  LimitState& state = *limits.state;
  state.in_flight.set_limit(limits.in_flight.value_or(LimitState::kNoCeiling));
  reshape(state.requests, state.requests_shape, limits.requests, now);
  reshape(state.tokens, state.tokens_shape, limits.tokens, now);
}

}  // namespace

void apply_limits(Process& process, const Snapshot& snapshot, TimePoint now) {
  process.in_flight.set_limit(snapshot.limits.in_flight);
  process.waiting_room.serve(now);
  for (const fleet::Provider& provider : snapshot.providers)
    provider.state->in_flight.set_limit(provider.in_flight_limit);
  for (const auto& [name, tenant] : snapshot.tenants) {
    apply(tenant.limits, now);
    for (const auto& [workload, its] : tenant.workloads) apply(its.limits, now);
    for (const auto& [key, its] : tenant.keys) apply(its, now);
  }
}

}  // namespace penstock::gateway
