#pragma once

#include "base/units.h"
#include "gateway/drain_config.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// When each step of leaving is due: one set of times for all workers.
struct DrainTimes {
  TimePoint settled;   // nobody begins to connect any more
  TimePoint closed;    // whoever had begun is in: the listeners close, and idle connections
  TimePoint given_up;  // what still runs is told to end
  TimePoint over;      // what has not ended is closed
};

// signalled: when leaving began.
[[nodiscard]] DrainTimes drain_times(const DrainConfig& config, TimePoint signalled);

// At a request's settlement: whether leaving cut it, which is counted and told to operators by
// name, without content.
//
// took: how long the request ran.
void tell_if_cut(const RequestScope& scope, Duration took) noexcept;

}  // namespace penstock::gateway
