#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "control/rate_bucket.h"
#include "gateway/request_scope.h"

// Requests over time, of the caller's key, workload and tenant (`limits.requests`).
namespace penstock::gateway {

// Takes one request from each of the caller's buckets, or from none of them.
// errors: kRateLimitExceeded with the exact time to come back.
[[nodiscard]] Result<void> take_quota(RequestScope& scope);

// Appends x-ratelimit-{limit,remaining,reset}-requests for the caller's tightest bucket as it is
// now; nothing for a caller without limits.
void append_rate_fields(std::string& head, const RequestScope& scope);

// The caller's tightest bucket of requests as it is now, and its rate; nullopt: it has none.
struct RateLevel {
  double per_second = 0;
  control::BucketLevel bucket;
};
[[nodiscard]] std::optional<RateLevel> rate_level(const RequestScope& scope);

// A length of time as those headers write it: `120ms`, `6s`, `1m30s`; rounded up, to seconds from
// one second on.
[[nodiscard]] std::string reset_text(Duration reset);

}  // namespace penstock::gateway
