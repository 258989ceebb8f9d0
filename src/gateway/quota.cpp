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
#include "base/result.h"
#include "base/units.h"
#include "control/bucket_chain.h"
#include "control/rate_bucket.h"
#include "gateway/caller_buckets.h"
#include "gateway/deadline.h"
#include "gateway/request_scope.h"
#include "gateway/shared_meter.h"
#include "runtime/task.h"
#include "store/quota_store.h"
#include "wire/head_writer.h"

namespace penstock::gateway {

using runtime::Task;

namespace {

// The names of what is told of one kind of limit.
struct RateFields {
  Metered metered;
  std::string_view limit;
  std::string_view remaining;
  std::string_view reset;
};
constexpr std::array kRateFields{
    RateFields{Metered::kRequests, "x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
               "x-ratelimit-reset-requests"},
    RateFields{Metered::kTokens, "x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens",
               "x-ratelimit-reset-tokens"}};

Result<QuotaTurn> take_shared(RequestScope& scope, const LimitedCaller& callers) {
  if (take_slice(scope, callers, Metered::kRequests, 1)) return QuotaTurn::kTaken;
  if (!store_away(scope)) {
    if (std::optional<std::unexpected<Error>> refused =
            refused_lately(scope, callers, Metered::kRequests, 1))
      return *std::move(refused);
    return QuotaTurn::kAsk;
  }
  PENSTOCK_CHECK(take_emergency(scope, callers, Metered::kRequests, 1));
  return QuotaTurn::kTaken;
}

// By the head alone; a header that says no time is refused later.
TimePoint head_deadline(const RequestScope& scope) {
  const Result<Duration> patience = body_patience(scope);
  return patience ? scope.started() + *patience : TimePoint::max();
}

}  // namespace

Result<QuotaTurn> take_quota(RequestScope& scope) {
  const LimitedCaller callers = limited(scope.caller, Metered::kRequests);
  if (callers.count == 0) return QuotaTurn::kTaken;
  if (scope.worker.quotas != nullptr) return take_shared(scope, callers);
  const control::ChainTake take = chain_of(callers, Metered::kRequests).take(scope.now(), 1);
  if (take.end == control::TakeEnd::kTaken) return QuotaTurn::kTaken;
  return rate_refusal(callers, Metered::kRequests, take.refused_by, take.wait);
}

Task<Result<void>> ask_quota(RequestScope& scope) {
  const LimitedCaller callers = limited(scope.caller, Metered::kRequests);
  store::QuotaAsk ask;
  ask.owner = owner_of(scope);
  ask.cost = 1;
  add_buckets(ask, callers, Metered::kRequests);
  SliceRefill refill(scope, callers, Metered::kRequests, ask);
  const std::optional<store::QuotaAnswer> answer =
      co_await scope.worker.quotas->take(ask, head_deadline(scope));
  if (!answer) co_return take_emergency(scope, callers, Metered::kRequests, 1);
  learn(scope, *answer, callers, Metered::kRequests);
  refill.filled(scope.now(), answer->more);
  if (answer->end == store::QuotaAnswer::End::kTaken) co_return Result<void>();
  co_return rate_refusal(callers, Metered::kRequests, answer->refused_by, answer->wait);
}

void append_rate_fields(std::string& head, const RequestScope& scope) {
  for (const RateFields& fields : kRateFields) {
    const LimitedCaller callers = limited(scope.caller, fields.metered);
    const std::optional<control::BucketLevel> level = level_of(scope, callers, fields.metered);
    if (!level) continue;
    wire::append_header(head, fields.limit, level->limit);
    wire::append_header(head, fields.remaining, level->remaining);
    wire::append_header(head, fields.reset, reset_text(level->reset));
  }
}

std::optional<RateLevel> rate_level(const RequestScope& scope, Metered metered) {
  std::optional<RateLevel> found;
  const LimitedCaller callers = limited(scope.caller, metered);
  for (std::size_t i = 0; i < callers.count; ++i) {
    LimitedCaller one;
    one.limits[one.count++] = callers.limits[i];
    const std::optional<control::BucketLevel> level = level_of(scope, one, metered);
    if (!level || (found && level->remaining >= found->bucket.remaining)) continue;
    const bool requests = metered == Metered::kRequests;
    found = RateLevel{.per_second = requests ? one.limits[0]->requests_per_second
                                             : one.limits[0]->tokens_per_second,
                      .bucket = *level};
  }
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
