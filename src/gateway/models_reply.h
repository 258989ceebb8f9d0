#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// GET /v1/models and /v1/models/{id}. errors: kModelNotFound.
[[nodiscard]] runtime::Task<Result<void>> reply_models(RequestScope& scope);

}  // namespace penstock::gateway
