#pragma once

#include <string>

#include "base/result.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Answers with 200 and a JSON body of our own, for what no provider is asked; settles the scope's
// status. No cache may keep it: it depends on who asks.
[[nodiscard]] runtime::Task<Result<void>> reply_json(RequestScope& scope, std::string body);

}  // namespace penstock::gateway
