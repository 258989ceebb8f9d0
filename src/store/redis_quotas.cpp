#include "store/redis_quotas.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/rng.h"
#include "base/seams.h"
#include "base/units.h"
#include "control/rate_bucket.h"
#include "json/log_line.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/owed.h"
#include "store/quota_call.h"
#include "store/quota_script.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"

namespace penstock::store {

using runtime::Task;

namespace {

constexpr Duration kProbeEvery = 500ms;
constexpr std::size_t kToldAtOnce = 64;  // of what is owed
constexpr Duration kQuiet = 1min;        // between two lines about other limits
constexpr std::string_view kProbeKey = "penstock:{penstock}:probe";

// The caller's own time, or our own end, says nothing about the store.
bool is_outage(redis::OutageReason reason) noexcept {
  return reason != redis::OutageReason::kDeadline && reason != redis::OutageReason::kClosing;
}

// Whether units that are gone from it are missed for long: what refills sooner is not worth a
// record.
bool is_slow(const control::Rate& rate) noexcept {
  const auto full_in = static_cast<double>(rate.burst) * static_cast<double>(rate.per.count()) /
                       static_cast<double>(rate.units);
  return full_in >= static_cast<double>(RedisQuotas::kFelt.count());
}

redis::Command command_of(const SharedQuotas& shared, const Owed& owed, const QuotaCall& call) {
  return {.script = owed.repeatable() ? shared.undo : shared.settle,
          .keys = call.keys(),
          .arguments = call.arguments()};
}

}  // namespace

SharedQuotas::SharedQuotas(std::shared_ptr<const redis::Endpoint> where, Duration patience,
                           std::string its_gateway, LogSink& log)
    : endpoint(std::move(where)),
      timeout(patience),
      gateway(std::move(its_gateway)),
      take(take_body()),
      settle(settle_body()),
      undo(undo_body()),
      probe(probe_body()),
      standing(log),
      log_(log) {}

void SharedQuotas::note_other_limit(std::string_view bucket, TimePoint now) {
  other_limits_.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t at = now.time_since_epoch().count();
  std::int64_t until = quiet_until_ns_.load(std::memory_order_relaxed);
  if (at < until) return;
  if (!quiet_until_ns_.compare_exchange_strong(until, at + kQuiet.count())) return;
  json::LogLine(json::LogLevel::kWarn, "limits differ between gateways")
      .with("store", "redis")
      .with("bucket", bucket)
      .write_to(log_);
}

RedisQuotas::RedisQuotas(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng,
                         SharedQuotas& shared)
    : loop_(loop),
      shared_(shared),
      rng_(std::move(rng)),
      client_(loop, dialer, shared.endpoint, redis::Client::Options{shared.timeout},
              rng_->fork("client"), shared.standing),
      timer_(loop.timers(), &RedisQuotas::on_timer, this),
      name_(rng_->next()) {}

RedisQuotas::~RedisQuotas() {
  if (away_) shared_.away.fetch_sub(1);
}

void RedisQuotas::start() { client_.start(); }

Task<void> RedisQuotas::close() {
  closing_ = true;
  timer_.disarm();
  for (const Owed& owed : owed_) {
    const QuotaCall call = owed.call();
    if (!client_.post(command_of(shared_, owed, call))) shared_.standing.dropped();
  }
  owed_.clear();
  co_await client_.close();
  co_await tasks_.join();
}

Task<std::optional<QuotaAnswer>> RedisQuotas::take(const QuotaAsk& ask, TimePoint due) {
  std::string record = record_for(ask);
  redis::RunResult reply = co_await run_take(ask, record, due);
  // While a slot is on its way to another node neither runs a script with a name that is new, as a
  // record's always is: then without.
  if (!reply && !record.empty() && reply.error().reason == redis::OutageReason::kClusterDown) {
    record.clear();
    reply = co_await run_take(ask, record, due);
  }
  std::optional<TakeReply> read;
  redis::Outage outage{.reason = redis::OutageReason::kMalformed,
                       .effect = redis::Effect::kUnknown};
  if (!reply) {
    outage = reply.error();
  } else {
    read = read_answer(*reply, ask);
    if (!read) shared_.standing.failed(outage.reason);
  }
  if (!read) {
    failed(outage);
    if (outage.effect == redis::Effect::kUnknown && !record.empty())
      owe(Owed(ask, record, loop_.clock().now()));
    co_return std::nullopt;
  }
  heard();
  if (read->differs) shared_.note_other_limit(ask.buckets[*read->differs].key, loop_.clock().now());
  co_return read->answer;
}

Task<redis::RunResult> RedisQuotas::run_take(const QuotaAsk& ask, std::string_view record,
                                             TimePoint due) {
  const QuotaCall call(
      ask, {.gateway = shared_.gateway, .epoch_new = rng_->next() | 1, .record = record});
  const redis::Command command{
      .script = shared_.take, .keys = call.keys(), .arguments = call.arguments()};
  co_return co_await client_.run(command, due);
}

// Under the tenant's tag. Empty: it is not worth one.
std::string RedisQuotas::record_for(const QuotaAsk& ask) {
  const auto buckets = std::span(ask.buckets).first(ask.bucket_count);
  if (!std::ranges::any_of(buckets, is_slow, [](const QuotaBucket& its) { return its.rate; }))
    return {};
  return fmt::format("penstock:{{{}}}:take:{:016x}:{:x}", ask.owner.tenant, name_, ++takes_);
}

void RedisQuotas::settle(const QuotaSettlement& settlement) noexcept {
  const QuotaCall call(settlement);
  const redis::Command command{
      .script = shared_.settle, .keys = call.keys(), .arguments = call.arguments()};
  if (!client_.post(command)) owe(Owed(settlement, loop_.clock().now()));
}

bool RedisQuotas::available(std::string_view tenant) const noexcept {
  return client_.available(tenant);
}

void RedisQuotas::heard() {
  if (!std::exchange(away_, false)) return;
  shared_.away.fetch_sub(1);
  if (owed_.empty()) timer_.disarm();
}

void RedisQuotas::failed(const redis::Outage& outage) {
  if (!is_outage(outage.reason)) return;
  if (!std::exchange(away_, true)) shared_.away.fetch_add(1);
  look_again();
}

void RedisQuotas::look_again() {
  if (!closing_ && !timer_.armed()) timer_.arm(loop_.clock().now() + kProbeEvery);
}

// What comes when there is no room left is lost.
void RedisQuotas::owe(Owed owed) {
  if (closing_ || owed_.size() >= kOwedMax) return shared_.standing.dropped();
  owed_.push_back(std::move(owed));
  look_again();
}

Task<void> RedisQuotas::tell_owed() {
  telling_ = true;
  for (std::size_t left = owed_.size(); left != 0 && !owed_.empty() && !away_;) {
    runtime::TaskGroup batch;
    for (std::size_t i = 0; i < kToldAtOnce && left != 0 && !owed_.empty(); ++i, --left) {
      Owed next = std::move(owed_.front());
      owed_.pop_front();
      batch.spawn(tell(std::move(next)));
    }
    co_await batch.join();
  }
  telling_ = false;
  if (!owed_.empty()) look_again();
}

Task<void> RedisQuotas::tell(Owed owed) {
  if (loop_.clock().now() - owed.since() >= kOwedFor) {
    shared_.standing.dropped();
    co_return;
  }
  if (!client_.available(owed.tenant())) {
    owe(std::move(owed));
    co_return;
  }
  const QuotaCall call = owed.call();
  const redis::Command command = command_of(shared_, owed, call);
  const redis::RunResult reply = co_await client_.run(command, TimePoint::max());
  if (reply) co_return;
  failed(reply.error());
  if (owed.repeatable())
    owe(std::move(owed));
  else
    shared_.standing.dropped();
}

Task<void> RedisQuotas::probe() {
  const std::string_view keys[] = {kProbeKey};
  const redis::Command command{.script = shared_.probe, .keys = keys, .arguments = {}};
  const redis::RunResult reply = co_await client_.run(command, TimePoint::max());
  if (!reply) co_return failed(reply.error());
  heard();
  if (!owed_.empty() && !telling_) co_await tell_owed();
}

void RedisQuotas::on_timer(void* self) noexcept {
  auto& quotas = *static_cast<RedisQuotas*>(self);
  if (quotas.closing_) return;
  if (quotas.away_)
    quotas.tasks_.spawn(quotas.probe());
  else if (!quotas.telling_)
    quotas.tasks_.spawn(quotas.tell_owed());
}

}  // namespace penstock::store
