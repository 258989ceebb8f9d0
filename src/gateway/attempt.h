#pragma once

#include <memory>

#include "control/attempt_failure.h"
#include "fleet/selection.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// One try at one replica, unary or streamed: connection, request, reply, relay. Tells breaker,
// balancer and metrics how it went.
//
// placement: outlives it.
// result:    how it failed, on the heap for the sake of the frames that wait; nullptr when the
// reply reached the client, whole.
[[nodiscard]] runtime::Task<std::unique_ptr<control::AttemptFailure>> attempt(
    RequestScope& scope, const fleet::Placement& placement);

}  // namespace penstock::gateway
