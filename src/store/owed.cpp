#include "store/owed.h"

#include <span>
#include <string_view>

#include "base/units.h"
#include "store/quota_call.h"
#include "store/quota_store.h"

namespace penstock::store {

Owed::Owed(const Names& names, std::span<const QuotaBucket> buckets, TimePoint since)
    : since_(since) {
  names_.reserve(3 + buckets.size());  // views of them are kept
  names_.emplace_back(names.tenant);
  names_.emplace_back(names.epoch_key);
  names_.emplace_back(names.record);
  for (const QuotaBucket& bucket : buckets)
    buckets_[bucket_count_++] = {.key = names_.emplace_back(bucket.key), .rate = bucket.rate};
}

Owed::Owed(const QuotaSettlement& settlement, TimePoint since)
    : Owed(Names{.tenant = settlement.owner.tenant,
                 .epoch_key = settlement.owner.epoch_key,
                 .record = {}},
           settlement.buckets, since) {
  back_ = settlement.back;
  charge_ = settlement.charge;
  epoch_ = settlement.owner.seen.id;
}

Owed::Owed(const QuotaAsk& ask, std::string_view record, TimePoint since)
    : Owed(Names{.tenant = ask.owner.tenant, .epoch_key = ask.owner.epoch_key, .record = record},
           std::span(ask.buckets).first(ask.bucket_count), since) {}

QuotaCall Owed::call() const {
  const std::span<const QuotaBucket> buckets = std::span(buckets_).first(bucket_count_);
  if (repeatable())
    return QuotaCall(
        QuotaCall::Undo{.record = names_[2], .epoch_key = names_[1], .buckets = buckets});
  return QuotaCall(QuotaSettlement{
      .owner = {.tenant = names_[0], .epoch_key = names_[1], .seen = {.id = epoch_}},
      .buckets = buckets,
      .back = back_,
      .charge = charge_});
}

}  // namespace penstock::store
