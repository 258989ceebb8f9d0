#include "fleet/replica_state.h"

#include <algorithm>
#include <optional>

#include "base/units.h"

namespace penstock::fleet {

std::optional<TimePoint> ReplicaState::returned_at() const noexcept {
  std::optional<TimePoint> latest = health.recovered_at();
  latest = std::max(latest, breaker.closed_at());
  if (const Duration::rep at = enabled_at_.load(); at != 0)
    latest = std::max(latest, std::optional(TimePoint(Duration(at))));
  return latest;
}

}  // namespace penstock::fleet
