#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Places under the ceilings on what runs at once: the workload's, the tenant's, the process's. All
// or none; given back with the scope. Only the process's is waited for, and only where
// `admission.queue` says so: until `queue_wait`, the request's deadline, or the client's departure.
// errors: kOverloaded, kDeadlineExceeded, kDraining.
[[nodiscard]] runtime::Task<Result<void>> admit(RequestScope& scope);

}  // namespace penstock::gateway
