#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "control/bucket_chain.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// What is limited over time.
enum class Metered : std::uint8_t { kRequests, kTokens };

// Those of a caller's key, workload and tenant that have a limit of one kind, innermost first.
struct LimitedCaller {
  std::array<const CallerLimits*, 3> limits{};
  std::array<std::string_view, 3> whose{};  // "key", "workload", "tenant"
  std::size_t count = 0;
};
[[nodiscard]] LimitedCaller limited(const Caller& caller, Metered metered) noexcept;

// Their buckets in this process.
[[nodiscard]] control::BucketChain chain_of(const LimitedCaller& limited, Metered metered) noexcept;

}  // namespace penstock::gateway
