#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Sends the request until an attempt reached the client or no option is left: the only loop that
// sends, for unary and streamed calls of all surfaces. Returns the error that the client is to be
// told when there is one; else the reply was sent, whole.
[[nodiscard]] runtime::Task<Result<void>> attempt_until_committed_or_out_of_options(
    RequestScope& scope);

}  // namespace penstock::gateway
