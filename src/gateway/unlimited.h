#pragma once

#include "base/result.h"
#include "gateway/request_scope.h"

// Stages of ARCHITECTURE.md section 2 that this version has no rules for: each keeps its place in
// the pipeline and lets everything through.
namespace penstock::gateway {

// Tokens and money held until the request settles.
[[nodiscard]] inline Result<void> reserve_budget(RequestScope&) { return {}; }
// An identical request of the same tenant that was answered already.
[[nodiscard]] inline bool find_in_cache(RequestScope&) { return false; }

}  // namespace penstock::gateway
