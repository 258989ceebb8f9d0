#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "control/in_flight_limit.h"
#include "control/rate_bucket.h"

namespace penstock::gateway {

// What a tenant, workload or key has used of its limits just now. Shared by all workers. Outlives
// a snapshot: the next one takes it over for the same name.
struct LimitState {
  static constexpr std::uint32_t kNoCeiling = std::numeric_limits<std::uint32_t>::max();

  control::RateBucket requests;
  control::InFlightLimit in_flight{kNoCeiling};
};

// The limits of a tenant, workload or key, as one snapshot has them.
struct CallerLimits {
  std::optional<control::BucketShape> requests = {};  // nullopt: any number
  double requests_per_second = 0;                     // of `requests`, as configured
  std::optional<std::uint32_t> in_flight = {};        // nullopt: no ceiling, and none counted
  std::shared_ptr<LimitState> state = std::make_shared<LimitState>();
};

}  // namespace penstock::gateway
