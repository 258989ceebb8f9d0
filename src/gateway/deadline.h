#pragma once

#include "base/result.h"
#include "base/units.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// How long a body may take from the head on: `listen.body_wait`, or less where the client says so.
// errors: kInvalidRequest for a header that says no time.
[[nodiscard]] Result<Duration> body_patience(const RequestScope& scope);

// Sets the scope's deadline from the client's headers and the model's own limit: everything that
// waits from here on spends from it. It began when the head was complete.
// errors: kInvalidRequest for a header that says no time; kDeadlineExceeded when reading the body
//         took all of it.
[[nodiscard]] Result<void> set_deadline(RequestScope& scope);

}  // namespace penstock::gateway
