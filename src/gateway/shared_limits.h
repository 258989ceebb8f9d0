#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "control/block.h"
#include "control/call_pace.h"
#include "control/closed.h"
#include "control/epoch_watch.h"
#include "control/in_hand.h"
#include "control/rate_bucket.h"
#include "control/slice.h"

namespace penstock::gateway {

// A rate that several gateways share, as one snapshot has it.
struct SharedRate {
  std::string key;  // of its bucket at the store: names, never a credential
  control::Rate rate;
  std::optional<control::BucketShape>
      emergency;  // while the store is away; nullopt: nothing passes
};

// What a tenant, workload or key shares with the other gateways.
struct SharedLimits {
  std::string epoch_key;  // its tenant's
  std::optional<SharedRate> requests;
  std::optional<SharedRate> tokens;
  std::string in_flight_key;
  std::uint32_t in_flight_emergency = 0;
};

// What this process keeps of one shared rate.
struct SharedMeter {
  control::RateBucket emergency;  // keeps its level as the store comes and goes
  // Of the innermost of a caller's limits: taken in advance from all the buckets of that caller.
  control::Slice slice;
  control::CallPace pace;
  control::InHand in_hand;  // in the slices of all callers that this limit binds
  control::Closed closed;   // by a refusal of the store
};

// What this process keeps of the shared limits of a tenant, workload or key.
struct SharedState {
  SharedMeter requests;
  SharedMeter tokens;
  control::Block block;
  control::EpochWatch epoch;  // of a tenant
};

}  // namespace penstock::gateway
