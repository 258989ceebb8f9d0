#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "control/in_flight_limit.h"
#include "control/rate_bucket.h"
#include "gateway/shared_limits.h"

namespace penstock::gateway {

// What a tenant, workload or key has used of its limits just now. Shared by all workers. Outlives
// a snapshot: the next one takes it over for the same name.
struct LimitState {
  static constexpr std::uint32_t kNoCeiling = std::numeric_limits<std::uint32_t>::max();

  // With a shared store: what that said last.
  control::RateBucket requests;
  control::RateBucket tokens;
  control::InFlightLimit in_flight{kNoCeiling};
  SharedState shared;  // untouched without a shared store

  // The shapes that are in force, for the next change of them. On the control thread.
  std::optional<control::BucketShape> requests_shape = {};
  std::optional<control::BucketShape> tokens_shape = {};
};

// The limits of a tenant, workload or key, as one snapshot has them.
struct CallerLimits {
  std::optional<control::BucketShape> requests = {};  // nullopt: any number
  std::optional<control::BucketShape> tokens = {};    // nullopt: any number
  double requests_per_second = 0;                     // of `requests`, as configured
  double tokens_per_second = 0;                       // of `tokens`
  std::optional<std::uint32_t> in_flight = {};        // nullopt: no ceiling, and none counted
  std::shared_ptr<const SharedLimits> shared = {};    // null: counted in this process alone
  std::shared_ptr<LimitState> state = std::make_shared<LimitState>();
};

}  // namespace penstock::gateway
