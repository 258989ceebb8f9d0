#include "fleet/standing.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "base/units.h"
#include "control/breaker.h"
#include "control/health.h"
#include "control/priority.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"

namespace penstock::fleet {

std::string_view name(Standing standing) noexcept {
  switch (standing) {
    case Standing::kEligible: return "eligible";
    case Standing::kAskedToWait: return "asked to wait";
    case Standing::kHalfOpen: return "breaker half-open";
    case Standing::kBreakerOpen: return "breaker open";
    case Standing::kUnhealthy: return "health check failed";
    case Standing::kDrained: return "drained";
    case Standing::kDegraded: return "degraded";
    case Standing::kFull: return "at its in_flight limit";
  }
  PENSTOCK_ASSERT(false);
}

Standing standing_of(const Provider& provider, std::size_t replica, TimePoint now) {
  const ReplicaState& state = provider.state->replicas[replica];
  if (state.duty.load(std::memory_order_relaxed) == Duty::kDrained) return Standing::kDrained;
  if (state.health.state() == control::HealthState::kUnhealthy) return Standing::kUnhealthy;
  switch (state.breaker.state(now)) {
    case control::BreakerState::kOpen: return Standing::kBreakerOpen;
    case control::BreakerState::kHalfOpen: return Standing::kHalfOpen;
    case control::BreakerState::kClosed: break;
  }
  return state.cool_down.until(now) ? Standing::kAskedToWait : Standing::kEligible;
}

Standing standing_of(const Provider& provider, control::Priority priority) {
  const ProviderState& state = *provider.state;
  if (priority == control::Priority::kBatch && state.degraded.load(std::memory_order_relaxed))
    return Standing::kDegraded;
  return state.in_flight.full(priority) ? Standing::kFull : Standing::kEligible;
}

Standing standing_of(const Provider& provider, std::size_t replica, control::Priority priority,
                     TimePoint now) {
  const Standing own = standing_of(provider, replica, now);
  return is_out(own) ? own : std::max(own, standing_of(provider, priority));
}

std::optional<TimePoint> back_at(const Provider& provider, std::size_t replica, TimePoint now) {
  const ReplicaState& state = provider.state->replicas[replica];
  switch (standing_of(provider, replica, now)) {
    case Standing::kBreakerOpen: return state.breaker.open_until(now);
    case Standing::kAskedToWait: return state.cool_down.until(now);
    case Standing::kUnhealthy:
      return provider.health ? std::optional(now + provider.health->interval) : std::nullopt;
    default: return std::nullopt;
  }
}

bool any_eligible(const Provider& provider, TimePoint now) {
  for (std::size_t i = 0; i < provider.replicas.size(); ++i)
    if (!is_out(standing_of(provider, i, now))) return true;
  return false;
}

}  // namespace penstock::fleet
