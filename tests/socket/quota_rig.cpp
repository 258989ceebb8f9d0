#include "tests/socket/quota_rig.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "control/epoch_watch.h"
#include "control/rate_bucket.h"
#include "runtime/task.h"
#include "store/quota_call.h"
#include "store/quota_script.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/script.h"
#include "tests/socket/redis_rig.h"

namespace penstock::store {

using runtime::Task;

namespace {

constexpr std::string_view kWoundClock = "local now = tonumber(table.remove(ARGV))\n";
constexpr std::array<std::string_view, 3> kBuckets{"q:{acme}:b0", "q:{acme}:b1", "q:{acme}:b2"};

}  // namespace

QuotaRig::QuotaRig()
    : redis(redis::endpoint_at(server.port()), 1s),
      take_(take_body(kWoundClock)),
      settle_(settle_body(kWoundClock)),
      undo_(undo_body(kWoundClock)) {}

Task<redis::RunResult> QuotaRig::run(const redis::Script& script,
                                     std::span<const std::string_view> keys,
                                     std::span<const std::string_view> arguments) {
  std::vector<std::string_view> all(arguments.begin(), arguments.end());
  const std::string at = std::to_string(now);
  all.emplace_back(at);
  const redis::Command command{script, keys, all};
  co_return co_await redis.client.run(command, TimePoint::max());
}

Task<std::optional<QuotaAnswer>> QuotaRig::take(QuotaAsk ask, std::string_view gateway) {
  const TakeAs as{.gateway = gateway, .epoch_new = epoch_new, .record = {}};
  const std::optional<TakeReply> read = co_await take_as(ask, as);
  if (!read) co_return std::nullopt;
  co_return read->answer;
}

Task<std::optional<TakeReply>> QuotaRig::take_as(QuotaAsk ask, TakeAs as) {
  const QuotaCall call(ask, as);
  const redis::RunResult reply = co_await run(take_, call.keys(), call.arguments());
  if (!reply) co_return std::nullopt;
  co_return read_answer(*reply, ask);
}

Task<bool> QuotaRig::undo(QuotaAsk ask, std::string_view record) {
  const QuotaCall::Undo what{.record = record,
                             .epoch_key = ask.owner.epoch_key,
                             .buckets = std::span(ask.buckets).first(ask.bucket_count)};
  const QuotaCall call(what);
  const redis::RunResult reply = co_await run(undo_, call.keys(), call.arguments());
  co_return reply && reply->size() == 1 && reply->front().integer == 1;
}

Task<bool> QuotaRig::settle(QuotaSettlement settlement) {
  const QuotaCall call(settlement);
  const redis::RunResult reply = co_await run(settle_, call.keys(), call.arguments());
  co_return reply && reply->size() == 1 && reply->front().integer == 1;
}

QuotaAsk ask_for(const std::vector<control::Rate>& rates, std::uint64_t cost,
                 const control::Epoch& seen) {
  QuotaAsk ask;
  ask.owner = {.tenant = "acme", .epoch_key = "q:{acme}:epoch", .seen = seen};
  ask.cost = cost;
  for (const control::Rate& rate : rates) {
    ask.buckets[ask.bucket_count] = {.key = kBuckets[ask.bucket_count], .rate = rate};
    ++ask.bucket_count;
  }
  return ask;
}

}  // namespace penstock::store
