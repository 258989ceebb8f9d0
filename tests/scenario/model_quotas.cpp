#include "tests/scenario/model_quotas.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "control/bucket_chain.h"
#include "control/rate_bucket.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/quota_store.h"

namespace penstock::scenario {

using runtime::Task;
using store::QuotaAnswer;
using store::QuotaAsk;

Task<std::optional<QuotaAnswer>> ModelQuotas::take(const QuotaAsk& ask, TimePoint) {
  ++asks;
  if (mood != Mood::kSound) co_return std::nullopt;
  const TimePoint now = loop_.clock().now();
  QuotaAnswer answer;
  answer.epoch = {kEpoch, ++sequence_};
  for (std::size_t i = 0; i < ask.ceiling_count; ++i) {
    const store::QuotaCeiling& ceiling = ask.ceilings[i];
    answer.grants[i] = blocks_[std::string(ceiling.key)];
    answer.grants[i].others = others;
    if (others + ceiling.need <= ceiling.mark) continue;
    answer.end = QuotaAnswer::End::kFull;
    answer.refused_by = i;
  }
  std::vector<control::BucketShape> shapes;
  control::BucketChain chain;
  for (std::size_t i = 0; i < ask.bucket_count; ++i) shapes.emplace_back(ask.buckets[i].rate);
  for (std::size_t i = 0; i < ask.bucket_count; ++i)
    chain.add(shapes[i], buckets_[std::string(ask.buckets[i].key)]);
  chain.undo(ask.back);
  if (answer.end == QuotaAnswer::End::kTaken && ask.bucket_count != 0) {
    const control::ChainTake take = chain.take(now, ask.cost);
    if (take.end != control::TakeEnd::kTaken) {
      answer.end = QuotaAnswer::End::kWait;
      answer.refused_by = take.refused_by;
      answer.wait = take.wait;
    } else if (chain.take(now, ask.more).end == control::TakeEnd::kTaken) {
      answer.more = ask.more;
    }
  }
  for (std::size_t i = 0; i < ask.bucket_count; ++i)
    answer.full_in[i] = buckets_.find(ask.buckets[i].key)->second.level(shapes[i], now).reset;
  for (std::size_t i = 0; i < ask.ceiling_count && answer.end == QuotaAnswer::End::kTaken; ++i) {
    answer.grants[i].granted = std::max(ask.ceilings[i].need, answer.grants[i].granted);
    answer.grants[i].version = ask.ceilings[i].version;
    blocks_[std::string(ask.ceilings[i].key)] = answer.grants[i];
  }
  if (delay != 0s) {
    runtime::Alarm alarm(loop_);
    ignore(co_await alarm.until(now + delay), "nobody wakes it");
  }
  co_return answer;
}

void ModelQuotas::settle(const store::QuotaSettlement& settlement) noexcept {
  settled.push_back({settlement.back, settlement.charge, settlement.owner.seen.id});
  for (const store::QuotaBucket& bucket : settlement.buckets) {
    const control::BucketShape shape(bucket.rate);
    control::RateBucket& its = buckets_[std::string(bucket.key)];
    its.undo(shape, settlement.back);
    its.charge(shape, loop_.clock().now(), settlement.charge);
  }
}

}  // namespace penstock::scenario
