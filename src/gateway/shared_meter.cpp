#include "gateway/shared_meter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "control/bucket_chain.h"
#include "control/call_pace.h"
#include "control/rate_bucket.h"
#include "control/slice.h"
#include "gateway/caller_buckets.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"
#include "gateway/shared_limits.h"
#include "gateway/snapshot.h"
#include "store/quota_store.h"

namespace penstock::gateway {
namespace {

// While the store is away: about when it may be back, for what no emergency limit can let through.
constexpr Duration kBackIn = 1s;

const SharedRate& rate_of(const CallerLimits& limits, Metered metered) noexcept {
  return metered == Metered::kRequests ? *limits.shared->requests : *limits.shared->tokens;
}

SharedMeter& meter_of(const CallerLimits& limits, Metered metered) noexcept {
  SharedState& shared = limits.state->shared;
  return metered == Metered::kRequests ? shared.requests : shared.tokens;
}

control::SliceNeed need_of(const LimitedCaller& callers, Metered metered, TimePoint now) {
  const control::CallPace& pace = meter_of(*callers.limits[0], metered).pace;
  control::SliceNeed need{.tightest = rate_of(*callers.limits[0], metered).rate,
                          .smallest = rate_of(*callers.limits[0], metered).rate.burst,
                          .mean = pace.mean(),
                          .per_second = pace.per_second(now)};
  const auto refill = [](const control::Rate& rate) {
    return static_cast<double>(rate.units) / static_cast<double>(rate.per.count());
  };
  for (std::size_t i = 1; i < callers.count; ++i) {
    const control::Rate& rate = rate_of(*callers.limits[i], metered).rate;
    if (refill(rate) < refill(need.tightest)) need.tightest = rate;
    need.smallest = std::min(need.smallest, rate.burst);
  }
  return need;
}

// Units leave the slice of this caller.
void take_off(const LimitedCaller& callers, Metered metered, TimePoint filled,
              std::uint64_t units) noexcept {
  for (std::size_t i = 0; i < callers.count; ++i)
    meter_of(*callers.limits[i], metered).in_hand.take_off(filled, units);
}

}  // namespace

bool store_away(const RequestScope& scope) noexcept {
  return scope.quota_degraded || !scope.worker.quotas->available(scope.principal.tenant);
}

bool take_slice(const RequestScope& scope, const LimitedCaller& callers, Metered metered,
                std::uint64_t units) noexcept {
  SharedMeter& meter = meter_of(*callers.limits[0], metered);
  const TimePoint now = scope.now();
  meter.pace.note(now, units);
  if (scope.principal.tier == Tier::kExternal && store_away(scope)) return false;
  const std::optional<TimePoint> filled = meter.slice.take(now, units);
  if (filled) take_off(callers, metered, *filled, units);
  return filled.has_value();
}

std::optional<std::unexpected<Error>> refused_lately(const RequestScope& scope,
                                                     const LimitedCaller& callers, Metered metered,
                                                     std::uint64_t units) {
  const TimePoint now = scope.now();
  const std::optional<std::size_t> by =
      meter_of(*callers.limits[0], metered).closed.refused_by(now);
  if (!by || *by >= callers.count) return std::nullopt;
  const Duration wait = chain_of(callers, metered).wait(now, units);
  if (wait == 0s) return std::nullopt;
  return rate_refusal(callers, metered, *by, wait);
}

control::BucketChain emergency_chain(const LimitedCaller& callers, Metered metered) noexcept {
  control::BucketChain chain;
  for (std::size_t i = 0; i < callers.count; ++i) {
    const std::optional<control::BucketShape>& shape =
        rate_of(*callers.limits[i], metered).emergency;
    if (shape) chain.add(*shape, meter_of(*callers.limits[i], metered).emergency);
  }
  return chain;
}

Result<void> take_emergency(RequestScope& scope, const LimitedCaller& callers, Metered metered,
                            std::uint64_t units) {
  scope.quota_degraded = true;
  for (std::size_t i = 0; i < callers.count; ++i)
    if (!rate_of(*callers.limits[i], metered).emergency)
      return rate_refusal(callers, metered, i, kBackIn);
  const control::ChainTake take = emergency_chain(callers, metered).take(scope.now(), units);
  switch (take.end) {
    case control::TakeEnd::kTaken: return {};
    case control::TakeEnd::kWait: return rate_refusal(callers, metered, take.refused_by, take.wait);
    case control::TakeEnd::kNever: break;
  }
  return rate_refusal(callers, metered, take.refused_by, kBackIn);
}

store::QuotaOwner owner_of(const RequestScope& scope) {
  const CallerLimits& tenant = scope.caller.tenant->limits;
  return {.tenant = scope.principal.tenant,
          .epoch_key = tenant.shared->epoch_key,
          .seen = tenant.state->shared.epoch.seen(scope.now())};
}

void add_buckets(store::QuotaAsk& ask, const LimitedCaller& callers, Metered metered) {
  for (std::size_t i = 0; i < callers.count; ++i) {
    const SharedRate& shared = rate_of(*callers.limits[i], metered);
    ask.buckets[ask.bucket_count++] = {.key = shared.key, .rate = shared.rate};
  }
}

void learn(const RequestScope& scope, const store::QuotaAnswer& answer,
           const LimitedCaller& callers, Metered metered) {
  const TimePoint now = scope.now();
  scope.caller.tenant->limits.state->shared.epoch.note(answer.epoch, now);
  for (std::size_t i = 0; i < callers.count; ++i) {
    LimitState& state = *callers.limits[i]->state;
    (metered == Metered::kRequests ? state.requests : state.tokens)
        .set_full_in(now, answer.full_in[i]);
  }
  if (callers.count != 0 && answer.end == store::QuotaAnswer::End::kWait)
    meter_of(*callers.limits[0], metered).closed.close(now, answer.wait, answer.refused_by);
}

void settle_shared(const RequestScope& scope, const LimitedCaller& callers,
                   const SharedUse& use) noexcept {
  store::QuotaAsk buckets;
  add_buckets(buckets, callers, Metered::kTokens);
  store::QuotaSettlement settlement{
      .owner = owner_of(scope),
      .buckets = std::span(buckets.buckets).first(buckets.bucket_count),
      .back = use.back,
      .charge = use.charge};
  settlement.owner.seen.id = use.epoch;
  scope.worker.quotas->settle(settlement);
}

std::optional<control::BucketLevel> level_of(const RequestScope& scope,
                                             const LimitedCaller& callers,
                                             Metered metered) noexcept {
  if (callers.count == 0) return std::nullopt;
  const bool emergency = scope.worker.quotas != nullptr && scope.quota_degraded;
  return (emergency ? emergency_chain(callers, metered) : chain_of(callers, metered))
      .tightest(scope.now());
}

std::unexpected<Error> rate_refusal(const LimitedCaller& callers, Metered metered,
                                    std::size_t refused_by, Duration wait) {
  Error error(ErrorCode::kRateLimitExceeded,
              fmt::format("The {} has used up its {} for now.", callers.whose[refused_by],
                          metered == Metered::kRequests ? "requests" : "tokens"));
  error.retry_after = wait;
  return fail(std::move(error));
}

SliceRefill::SliceRefill(const RequestScope& scope, const LimitedCaller& callers, Metered metered,
                         store::QuotaAsk& ask) noexcept
    : callers_(callers), metered_(metered) {
  const TimePoint now = scope.now();
  const std::uint64_t units = control::slice_units(need_of(callers, metered, now));
  control::Slice& slice = meter_of(*callers.limits[0], metered).slice;
  if (units == 0 || !slice.begin_refill()) return;
  slice_ = &slice;
  const control::Slice::Leftover left = slice.drain(now);
  take_off(callers, metered, left.filled, left.units);
  ask.back = left.units;
  reserved_at_ = now;
  reserved_ = reserve(now, units);
  ask.more = reserved_;
}

// As many as every limit has room for.
std::uint64_t SliceRefill::reserve(TimePoint now, std::uint64_t units) noexcept {
  const std::uint64_t mean = meter_of(*callers_.limits[0], metered_).pace.mean();
  std::array<std::uint64_t, store::QuotaAsk::kBucketsMax> got{};
  for (std::size_t i = 0; i < callers_.count; ++i) {
    const CallerLimits& limits = *callers_.limits[i];
    const std::uint64_t most = control::in_hand_max(rate_of(limits, metered_).rate, mean);
    units = got[i] = meter_of(limits, metered_).in_hand.add(now, units, most);
  }
  for (std::size_t i = 0; i < callers_.count; ++i)
    meter_of(*callers_.limits[i], metered_).in_hand.take_off(now, got[i] - units);
  return units;
}

SliceRefill::~SliceRefill() {
  if (slice_ == nullptr) return;
  take_off(callers_, metered_, reserved_at_, reserved_);
  slice_->end_refill();
}

void SliceRefill::filled(TimePoint now, std::uint64_t units) noexcept {
  if (slice_ == nullptr || units == 0) return;
  for (std::size_t i = 0; i < callers_.count; ++i)  // the reservation becomes what there is
    ignore(meter_of(*callers_.limits[i], metered_).in_hand.add(now, units, UINT64_MAX), "no bound");
  slice_->fill(now, units);
}

}  // namespace penstock::gateway
