#pragma once

#include <vector>

#include "base/error.h"
#include "fleet/selection.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// The error for a request that nothing can serve now: `no_replica`, which lists every candidate and
// why it is out, or `overloaded` where a full provider is the only reason left. Says when to come
// back.
[[nodiscard]] Error no_replica(const RequestScope& scope,
                               const std::vector<fleet::Verdict>& verdicts);

}  // namespace penstock::gateway
