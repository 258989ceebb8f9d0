#pragma once

#include <vector>

#include "base/units.h"
#include "control/degraded_limit.h"
#include "fleet/provider.h"

namespace penstock::fleet {

// Lowers the in-flight limit of providers that have become slow and raises it again, and keeps
// batch away from them meanwhile. On the control thread.
class PaceKeeper {
 public:
  // Call about once a second, always with the same providers in the same order; their limits may
  // have been changed in between.
  void tick(const std::vector<Provider>& providers, TimePoint now);

 private:
  std::vector<control::DegradedLimit> limits_;  // by provider
};

// Slow while the slow calls of its replicas are at least half of what opens a breaker.
[[nodiscard]] control::ProviderPace pace_of(const Provider& provider, TimePoint now);

}  // namespace penstock::fleet
