#pragma once

#include <cstdint>

#include "base/result.h"
#include "control/attempt_failure.h"
#include "gateway/caller_buckets.h"
#include "gateway/request_scope.h"

// Tokens over time, of the caller's key, workload and tenant (`limits.tokens`). A call holds its
// estimated input and the ceiling of its output while it runs; at its end the hold becomes what was
// used.
namespace penstock::gateway {

// What a call may use at most: by its body, its own ceiling and the one of its workload. One that
// names no ceiling is taken for kOutputAssumed tokens a choice, or for what the tightest bucket
// holds if that is less.
inline constexpr std::uint64_t kOutputAssumed = 1024;

// The hold of this call.
// errors: kInvalidRequest for one that no wait would let through.
[[nodiscard]] Result<std::uint64_t> tokens_to_hold(const RequestScope& scope,
                                                   const LimitedCaller& callers);

// Takes the hold from each of the caller's buckets of tokens, or from none of them; in this process
// alone. See enter_shared() for what is shared with others.
// errors: kRateLimitExceeded with the exact time to come back; as tokens_to_hold().
[[nodiscard]] Result<void> take_tokens(RequestScope& scope);

// Adds what an attempt used to what the request did: as its provider told, else estimated. One that
// got an error status used nothing; one that went silent or was cut its input and what was relayed.
void count_tokens(RequestScope& scope, const control::AttemptFailure* failure) noexcept;

// Makes the hold into what was used; once, further calls change nothing.
void settle_tokens(RequestScope& scope) noexcept;

}  // namespace penstock::gateway
