#pragma once

#include "base/principal.h"
#include "base/result.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// Who calls, from the head alone. Also sets the scope's caller, its labels and its priority.
// errors: kUnauthenticated, kKeyDisabled.
[[nodiscard]] Result<Principal> identify(RequestScope& scope);

}  // namespace penstock::gateway
