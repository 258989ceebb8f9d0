#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "control/bucket_chain.h"
#include "gateway/caller_buckets.h"
#include "gateway/request_scope.h"
#include "store/quota_store.h"

// The pieces that the two questions to a shared store are made of: requests at the head, tokens and
// places at admission.
namespace penstock::gateway {

// Whether this request is decided without the store: it did not answer before, or would not now.
[[nodiscard]] bool store_away(const RequestScope& scope) noexcept;

// Takes units that were fetched in advance; false: there are too few. External tenants spend none
// while the store is away.
[[nodiscard]] bool take_slice(const RequestScope& scope, const LimitedCaller& callers,
                              Metered metered, std::uint64_t units) noexcept;

// Whether the store has just refused this caller and would again refuse so many units; then the
// refusal.
[[nodiscard]] std::optional<std::unexpected<Error>> refused_lately(const RequestScope& scope,
                                                                   const LimitedCaller& callers,
                                                                   Metered metered,
                                                                   std::uint64_t units);

// Takes units from this gateway's own part of the limits, and marks the request as degraded.
// errors: kRateLimitExceeded with a time to come back.
[[nodiscard]] Result<void> take_emergency(RequestScope& scope, const LimitedCaller& callers,
                                          Metered metered, std::uint64_t units);
[[nodiscard]] control::BucketChain emergency_chain(const LimitedCaller& callers,
                                                   Metered metered) noexcept;

// Whose data a request of this caller asks for, and what this process last saw of them.
[[nodiscard]] store::QuotaOwner owner_of(const RequestScope& scope);
void add_buckets(store::QuotaAsk& ask, const LimitedCaller& callers, Metered metered);
// Takes over what the store says of the caller's epoch and buckets, and of a refusal by one.
void learn(const RequestScope& scope, const store::QuotaAnswer& answer,
           const LimitedCaller& callers, Metered metered);

// Tells the store what a call used.
struct SharedUse {
  std::uint64_t back = 0;
  std::uint64_t charge = 0;
  std::uint64_t epoch = 0;  // of the data that it had taken from
};
void settle_shared(const RequestScope& scope, const LimitedCaller& callers,
                   const SharedUse& use) noexcept;

// The level of the caller's tightest bucket, for headers: this process's own, or what the store
// said last, or of this gateway's part while that is away.
[[nodiscard]] std::optional<control::BucketLevel> level_of(const RequestScope& scope,
                                                           const LimitedCaller& callers,
                                                           Metered metered) noexcept;

// A refusal by a bucket.
[[nodiscard]] std::unexpected<Error> rate_refusal(const LimitedCaller& callers, Metered metered,
                                                  std::size_t refused_by, Duration wait);

// The next slice, asked for along with a request: by one at a time, if the caller is busy enough,
// and as far as each of its limits may have more in hand. callers: outlive it.
class SliceRefill {
 public:
  // Fills in `ask.more` and `ask.back`.
  SliceRefill(const RequestScope& scope, const LimitedCaller& callers, Metered metered,
              store::QuotaAsk& ask) noexcept;
  SliceRefill(const SliceRefill&) = delete;
  SliceRefill& operator=(const SliceRefill&) = delete;
  ~SliceRefill();
  void filled(TimePoint now, std::uint64_t units) noexcept;

 private:
  [[nodiscard]] std::uint64_t reserve(TimePoint now, std::uint64_t units) noexcept;
  const LimitedCaller& callers_;
  const Metered metered_;
  control::Slice* slice_ = nullptr;  // null: none was asked for
  std::uint64_t reserved_ = 0;       // of what each limit may have in hand
  TimePoint reserved_at_;
};

}  // namespace penstock::gateway
