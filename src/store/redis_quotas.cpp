#include "store/redis_quotas.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/rng.h"
#include "base/seams.h"
#include "base/units.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
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
constexpr std::string_view kProbeKey = "penstock:{penstock}:probe";

// The caller's own time, or our own end, says nothing about the store.
bool is_outage(redis::OutageReason reason) noexcept {
  return reason != redis::OutageReason::kDeadline && reason != redis::OutageReason::kClosing;
}

}  // namespace

SharedQuotas::SharedQuotas(std::shared_ptr<const redis::Endpoint> where, Duration patience,
                           std::string its_gateway, LogSink& log)
    : endpoint(std::move(where)),
      timeout(patience),
      gateway(std::move(its_gateway)),
      take(take_body()),
      settle(settle_body()),
      probe(probe_body()),
      standing(log) {}

RedisQuotas::RedisQuotas(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng,
                         SharedQuotas& shared)
    : loop_(loop),
      shared_(shared),
      client_(loop, dialer, shared.endpoint, redis::Client::Options{shared.timeout}, std::move(rng),
              shared.standing),
      timer_(loop.timers(), &RedisQuotas::on_timer, this) {}

RedisQuotas::~RedisQuotas() {
  if (away_) shared_.away.fetch_sub(1);
}

void RedisQuotas::start() { client_.start(); }

Task<void> RedisQuotas::close() {
  closing_ = true;
  timer_.disarm();
  co_await client_.close();
  co_await probes_.join();
}

Task<std::optional<QuotaAnswer>> RedisQuotas::take(const QuotaAsk& ask, TimePoint due) {
  const QuotaCall call(ask, shared_.gateway);
  const redis::Command command{
      .script = shared_.take, .keys = call.keys(), .arguments = call.arguments()};
  redis::RunResult reply = co_await client_.run(command, due);
  if (!reply) {
    failed(reply.error());
    co_return std::nullopt;
  }
  std::optional<QuotaAnswer> answer = read_answer(*reply, ask);
  if (!answer) {
    shared_.standing.failed(redis::OutageReason::kMalformed);
    failed({.reason = redis::OutageReason::kMalformed, .effect = redis::Effect::kUnknown});
    co_return std::nullopt;
  }
  heard();
  co_return answer;
}

void RedisQuotas::settle(const QuotaSettlement& settlement) noexcept {
  const QuotaCall call(settlement);
  const redis::Command command{
      .script = shared_.settle, .keys = call.keys(), .arguments = call.arguments()};
  client_.post(command);
}

bool RedisQuotas::available(std::string_view tenant) const noexcept {
  return client_.available(tenant);
}

void RedisQuotas::heard() {
  if (!std::exchange(away_, false)) return;
  shared_.away.fetch_sub(1);
  timer_.disarm();
}

void RedisQuotas::failed(const redis::Outage& outage) {
  if (!is_outage(outage.reason)) return;
  if (!std::exchange(away_, true)) shared_.away.fetch_add(1);
  if (!closing_ && !timer_.armed()) timer_.arm(loop_.clock().now() + kProbeEvery);
}

Task<void> RedisQuotas::probe() {
  const std::string_view keys[] = {kProbeKey};
  const redis::Command command{.script = shared_.probe, .keys = keys, .arguments = {}};
  const redis::RunResult reply = co_await client_.run(command, TimePoint::max());
  if (reply)
    heard();
  else
    failed(reply.error());
}

void RedisQuotas::on_timer(void* self) noexcept {
  auto& quotas = *static_cast<RedisQuotas*>(self);
  if (quotas.closing_ || !quotas.away_) return;
  quotas.probes_.spawn(quotas.probe());
}

}  // namespace penstock::store
