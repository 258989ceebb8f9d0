#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Places under the caller's own ceilings and the tokens that the call holds, where both are shared
// with other gateways: from what this one has in hand, else in one question to the store, else,
// while that is away, from this gateway's own part. All or none.
// errors: kOverloaded, kRateLimitExceeded, kInvalidRequest for a call that no wait would let
// through.
[[nodiscard]] runtime::Task<Result<void>> enter_shared(RequestScope& scope);

}  // namespace penstock::gateway
