#pragma once

#include "admin/routes.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

// GET /admin/v1/providers: every provider and replica as the workers see them now.
[[nodiscard]] runtime::Task<Result<Reply>> show_providers(const Call& call);

// POST /admin/v1/providers/{}/…: an operator's orders about one replica; audited.
[[nodiscard]] runtime::Task<Result<Reply>> drain_replica(const Call& call);   // no new calls
[[nodiscard]] runtime::Task<Result<Reply>> enable_replica(const Call& call);  // takes calls again
[[nodiscard]] runtime::Task<Result<Reply>> reset_replica(const Call& call);   // closes its breaker

}  // namespace penstock::admin
