#pragma once

#include <optional>
#include <string_view>

#include "base/principal.h"
#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "identity/claims.h"
#include "runtime/task.h"

namespace penstock::gateway {

// Who calls, by a token.
//
// result: nullopt: the key that it says it is signed with is not known, or none is; see below.
// errors: kUnauthenticated. Never any part of the token.
// cost:   of a token that was verified before: its hash and two look-ups.
[[nodiscard]] std::optional<Result<Principal>> token_caller(RequestScope& scope,
                                                            std::string_view token);

// The same for a token whose key was not known: waits for the fetch of the key set that may bring
// it, at most KeyDesk::kWaitMax, and says the last word.
// errors: also kStoreUnavailable: there is no key set, or it is too old.
[[nodiscard]] runtime::Task<Result<Principal>> token_caller_later(RequestScope& scope,
                                                                  std::string_view token);

// The principal that verified claims name, in views into the snapshot.
// errors: kUnauthenticated: the configuration knows no such tenant or workload, or the token names
//         no workload and the tenant has not exactly one.
[[nodiscard]] Result<Principal> principal_of(const Snapshot& snapshot,
                                             const identity::Claims& claims);

}  // namespace penstock::gateway
