#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Answers GET /v1/me: who the caller is, its own limits and what is left of them just now.
[[nodiscard]] runtime::Task<Result<void>> reply_me(RequestScope& scope);

}  // namespace penstock::gateway
