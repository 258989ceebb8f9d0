#pragma once

#include "admin/routes.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

// `POST /admin/v1/drain`: begins to drain the process, as TERM does; called again it changes
// nothing.
[[nodiscard]] runtime::Task<Result<Reply>> begin_drain(const Call& call);

}  // namespace penstock::admin
