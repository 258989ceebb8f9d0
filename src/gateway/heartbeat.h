#pragma once

#include "base/result.h"
#include "base/units.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Sends a silent stream's client a comment line, and opens the stream if nothing has: from then on
// a failure can only be told within it. The scope says when the next one is due.
// errors: as stopped(), when the client cannot be written to.
[[nodiscard]] runtime::Task<Result<void>> beat(RequestScope& scope);

// Something was written to the client: the next heartbeat is due a whole interval later.
void put_off_heartbeat(RequestScope& scope, TimePoint written);

}  // namespace penstock::gateway
