#include "gateway/caller_buckets.h"

#include <cstddef>
#include <optional>
#include <string_view>

#include "control/bucket_chain.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

LimitedCaller limited(const Caller& caller, Metered metered) noexcept {
  LimitedCaller found;
  const auto add = [&](const CallerLimits* limits, std::string_view name) {
    if (limits == nullptr) return;
    if (!(metered == Metered::kRequests ? limits->requests : limits->tokens)) return;
    found.limits[found.count] = limits;
    found.whose[found.count++] = name;
  };
  add(caller.key, "key");
  if (caller.workload != nullptr) add(&caller.workload->limits, "workload");
  if (caller.tenant != nullptr) add(&caller.tenant->limits, "tenant");
  return found;
}

control::BucketChain chain_of(const LimitedCaller& limited, Metered metered) noexcept {
  control::BucketChain chain;
  for (std::size_t i = 0; i < limited.count; ++i) {
    const CallerLimits& limits = *limited.limits[i];
    if (metered == Metered::kRequests)
      chain.add(*limits.requests, limits.state->requests);
    else
      chain.add(*limits.tokens, limits.state->tokens);
  }
  return chain;
}

}  // namespace penstock::gateway
