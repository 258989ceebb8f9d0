#pragma once

#include "base/result.h"
#include "control/in_flight_limit.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// A place under the process's in-flight ceiling, or a refusal at once.
// errors: kOverloaded with a time to come back; kDraining.
[[nodiscard]] Result<control::Slot> enter(RequestScope& scope);

// A time to come back for a refusal by overload: uniform in 1–2 s, so that those refused together
// do not return together (surface.md section 9).
[[nodiscard]] Duration overload_wait(Rng& rng);

}  // namespace penstock::gateway
