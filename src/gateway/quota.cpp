#include "gateway/quota.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/bucket_chain.h"
#include "control/rate_bucket.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "wire/head_writer.h"

namespace penstock::gateway {
namespace {

// The caller's buckets, innermost first, and whose each is.
struct Buckets {
  control::BucketChain chain;
  std::array<std::string_view, control::BucketChain::kBucketsMax> whose{};
  std::size_t count = 0;

  void add(const CallerLimits* limits, std::string_view name) noexcept {
    if (limits == nullptr || !limits->requests) return;
    chain.add(*limits->requests, limits->state->requests);
    whose[count++] = name;
  }
};

Buckets buckets_of(const Caller& caller) noexcept {
  Buckets buckets;
  buckets.add(caller.key, "key");
  if (caller.workload != nullptr) buckets.add(&caller.workload->limits, "workload");
  if (caller.tenant != nullptr) buckets.add(&caller.tenant->limits, "tenant");
  return buckets;
}

}  // namespace

Result<void> take_quota(RequestScope& scope) {
  Buckets buckets = buckets_of(scope.caller);
  if (buckets.count == 0) return {};
  const control::ChainTake take = buckets.chain.take(scope.now(), 1);
  if (take.end == control::TakeEnd::kTaken) return {};
  Error error(ErrorCode::kRateLimitExceeded, fmt::format("The {} has used up its requests for now.",
                                                         buckets.whose[take.refused_by]));
  error.retry_after = take.wait;
  return fail(std::move(error));
}

void append_rate_fields(std::string& head, const RequestScope& scope) {
  const std::optional<control::BucketLevel> level =
      buckets_of(scope.caller).chain.tightest(scope.now());
  if (!level) return;
  wire::append_header(head, "x-ratelimit-limit-requests", level->limit);
  wire::append_header(head, "x-ratelimit-remaining-requests", level->remaining);
  wire::append_header(head, "x-ratelimit-reset-requests", reset_text(level->reset));
}

std::optional<RateLevel> rate_level(const RequestScope& scope) {
  std::optional<RateLevel> found;
  const auto look = [&](const CallerLimits* limits) {
    if (limits == nullptr || !limits->requests) return;
    const control::BucketLevel level =
        limits->state->requests.level(*limits->requests, scope.now());
    if (!found || level.remaining < found->bucket.remaining)
      found = RateLevel{.per_second = limits->requests_per_second, .bucket = level};
  };
  const auto& [tenant, workload, key] = scope.caller;
  look(key);
  if (workload != nullptr) look(&workload->limits);
  if (tenant != nullptr) look(&tenant->limits);
  return found;
}

std::string reset_text(Duration reset) {
  using std::chrono::ceil;
  const std::int64_t ms = ceil<std::chrono::milliseconds>(reset).count();
  if (ms == 0) return "0s";
  if (ms < 1000) return fmt::format("{}ms", ms);
  const std::int64_t seconds = ceil<std::chrono::seconds>(reset).count();
  std::string text;
  if (seconds >= 3600) text += fmt::format("{}h", seconds / 3600);
  if (seconds / 60 % 60 != 0) text += fmt::format("{}m", seconds / 60 % 60);
  if (seconds % 60 != 0) text += fmt::format("{}s", seconds % 60);
  return text;
}

}  // namespace penstock::gateway
