#pragma once

#include <optional>
#include <string_view>

#include "base/principal.h"
#include "base/result.h"
#include "control/priority.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Who calls, from the head alone. Also sets the scope's caller, its labels and its priority.
// result: nullopt: a token whose key is not known yet: ask identify_later().
// errors: kUnauthenticated, kKeyDisabled.
[[nodiscard]] std::optional<Result<Principal>> identify(RequestScope& scope);

// The same for such a token, once the issuer's keys were fetched again, or could not be.
// errors: also kStoreUnavailable.
[[nodiscard]] runtime::Task<Result<Principal>> identify_later(RequestScope& scope);

// Wipes the credentials out of the head, known or not: no later stage reads them.
void forget_credentials(RequestScope& scope) noexcept;

// The caller as the snapshot has it, and the class of its requests.
[[nodiscard]] Caller caller_of(const Snapshot& snapshot, const Principal& principal);
[[nodiscard]] control::Priority priority_of(const Caller& caller) noexcept;

// Whom dev mode believes a caller to be who says this tenant's name; empty: nobody in particular.
[[nodiscard]] Principal dev_principal(const Snapshot& snapshot, std::string_view tenant);

}  // namespace penstock::gateway
