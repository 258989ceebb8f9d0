#pragma once

#include "base/result.h"
#include "control/in_flight_limit.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// A place under the process's in-flight ceiling, or a refusal at once.
// errors: kOverloaded with a time to come back; kDraining.
[[nodiscard]] Result<control::Slot> enter(RequestScope& scope);

}  // namespace penstock::gateway
