#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "control/rate_bucket.h"
#include "gateway/caller_buckets.h"
#include "gateway/request_scope.h"
#include "runtime/task.h"

// Requests over time, of the caller's key, workload and tenant (`limits.requests`).
namespace penstock::gateway {

enum class QuotaTurn : std::uint8_t {
  kTaken,
  kAsk,  // nothing is decided: ask_quota() is to be awaited
};

// Takes one request from each of the caller's buckets, or from none of them, as far as that needs
// no wait: in this process, from what was fetched in advance from a shared store, or while that
// is away.
// errors: kRateLimitExceeded with the exact time to come back.
[[nodiscard]] Result<QuotaTurn> take_quota(RequestScope& scope);

// The same by asking the shared store; within its time-out and the client's own.
[[nodiscard]] runtime::Task<Result<void>> ask_quota(RequestScope& scope);

// Appends x-ratelimit-{limit,remaining,reset}-{requests,tokens} for the caller's tightest bucket of
// each as it is now; nothing where the caller has no such limit.
void append_rate_fields(std::string& head, const RequestScope& scope);

// The caller's tightest bucket as it is now, and its rate as configured; nullopt: it has none.
struct RateLevel {
  double per_second = 0;
  control::BucketLevel bucket;
};
[[nodiscard]] std::optional<RateLevel> rate_level(const RequestScope& scope, Metered metered);

// A length of time as those headers write it: `120ms`, `6s`, `1m30s`; rounded up, to seconds from
// one second on.
[[nodiscard]] std::string reset_text(Duration reset);

}  // namespace penstock::gateway
