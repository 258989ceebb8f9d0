#pragma once

#include "admin/routes.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

// GET /metrics: the scrape.
[[nodiscard]] runtime::Task<Result<Reply>> show_metrics(const Call& call);
// GET /admin/v1/status: what runs here, since when, and how much of it.
[[nodiscard]] runtime::Task<Result<Reply>> show_status(const Call& call);

}  // namespace penstock::admin
