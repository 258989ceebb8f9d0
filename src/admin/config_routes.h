#pragma once

#include "admin/routes.h"
#include "base/result.h"
#include "runtime/task.h"

namespace penstock::admin {

// GET /admin/v1/config: the values in force, each with its origin; ?format=yaml as a file.
[[nodiscard]] runtime::Task<Result<Reply>> show_config(const Call& call);
// POST /admin/v1/reload: the file and its secrets are read anew, as at SIGHUP; audited.
[[nodiscard]] runtime::Task<Result<Reply>> reload_config(const Call& call);
// PATCH /admin/v1/config: changes live fields, all or nothing.
[[nodiscard]] runtime::Task<Result<Reply>> patch_config(const Call& call);

}  // namespace penstock::admin
