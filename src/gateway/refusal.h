#pragma once

#include "base/error.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Tells the client of an error, the only place that does: as a reply while nothing was sent, as
// the one error event of a stream that had begun, by a broken connection inside a unary body.
[[nodiscard]] runtime::Task<void> refuse_request(RequestScope& scope, Error error);

}  // namespace penstock::gateway
