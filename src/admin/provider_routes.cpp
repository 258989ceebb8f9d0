#include "admin/provider_routes.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "admin/audit.h"
#include "admin/plane.h"
#include "admin/replica_order.h"
#include "admin/routes.h"
#include "base/error_code.h"
#include "base/field.h"
#include "base/quantity_text.h"
#include "base/result.h"
#include "base/units.h"
#include "control/balancers.h"
#include "control/breaker.h"
#include "control/health.h"
#include "control/priority.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "fleet/standing.h"
#include "gateway/snapshot.h"
#include "json/writer.h"
#include "telemetry/timestamp.h"

namespace penstock::admin {

using runtime::Task;

namespace {

std::string_view name(control::HealthState health) noexcept {
  switch (health) {
    case control::HealthState::kHealthy: return "healthy";
    case control::HealthState::kUnhealthy: return "unhealthy";
    case control::HealthState::kUnknown: break;
  }
  return "unknown";
}

std::string_view name(control::BreakerState breaker) noexcept {
  switch (breaker) {
    case control::BreakerState::kOpen: return "open";
    case control::BreakerState::kHalfOpen: return "half_open";
    case control::BreakerState::kClosed: break;
  }
  return "closed";
}

// Rounded up: what is left of a wait is over at 0, not before.
void left(json::Writer& json, std::string_view key, std::optional<TimePoint> until, TimePoint now) {
  if (!until) return;
  json.key(key).integer(std::chrono::ceil<std::chrono::milliseconds>(*until - now).count());
}

void show_error(json::Writer& json, const std::optional<fleet::LastError>& error) {
  json.key("last_error");
  if (!error) {
    json.null();
    return;
  }
  std::string at;
  telemetry::append_timestamp(at, error->at);
  json.begin_object().key("code").string(info(error->code).name).key("status");
  if (error->status != 0)
    json.integer(error->status);
  else
    json.null();
  json.key("at").raw(at).end_object();
}

void show_replica(json::Writer& json, const fleet::Provider& provider, std::size_t index,
                  TimePoint now) {
  const fleet::Replica& replica = provider.replicas[index];
  const fleet::ReplicaState& state = provider.state->replicas[index];
  json.begin_object().key("url").string(replica.url).key("weight").integer(replica.weight);
  json.key("standing").string(fleet::name(fleet::standing_of(provider, index, now)));
  json.key("health").string(name(state.health.state()));
  json.key("breaker").string(name(state.breaker.state(now)));
  left(json, "open_for_ms", state.breaker.open_until(now), now);
  json.key("failure_rate").string(ratio_text(state.breaker.failure_rate(provider.breaker, now)));
  left(json, "asked_to_wait_ms", state.cool_down.until(now), now);
  json.key("duty").string(state.duty.load() == fleet::Duty::kDrained ? "drained" : "serving");
  json.key("in_flight").integer(state.in_flight.load());
  show_error(json, state.last_error());
  json.end_object();
}

void show_provider(json::Writer& json, const fleet::Provider& provider, Ratio budget,
                   TimePoint now) {
  const fleet::ProviderState& state = *provider.state;
  json.begin_object().key("name").string(provider.name);
  json.key("dialect").string(provider.dialect->name);
  json.key("balance").string(control::name(provider.balance));
  json.key("standing")
      .string(fleet::name(fleet::standing_of(provider, control::Priority::kInteractive)));
  json.key("degraded").boolean(state.degraded.load());
  json.key("in_flight").integer(state.in_flight.in_flight());
  json.key("in_flight_limit").integer(state.in_flight.limit());
  json.key("connections").integer(provider.permits->taken());
  json.key("waiting").integer(provider.permits->waiting());
  json.key("retry_budget").begin_object().key("limit").string(ratio_text(budget));
  json.key("ratio").number(state.retry_budget.ratio(now)).end_object();
  json.key("replicas").begin_array();
  for (std::size_t i = 0; i < provider.replicas.size(); ++i) show_replica(json, provider, i, now);
  json.end_array().end_object();
}

enum class Order { kDrain, kEnable, kReset };

constexpr std::string_view name(Order order) noexcept {
  switch (order) {
    case Order::kDrain: return "drain";
    case Order::kEnable: return "enable";
    case Order::kReset: break;
  }
  return "reset";
}

Result<Reply> obey(const Call& call, Order order) {
  const std::shared_ptr<const gateway::Snapshot> snapshot = call.plane.config.snapshot();
  PENSTOCK_TRY(const fleet::Provider* provider, find_provider(*snapshot, call.argument));
  PENSTOCK_TRY(const std::string wanted, read_order(call.body));
  PENSTOCK_TRY(const std::size_t index, find_replica(*provider, wanted));
  const TimePoint now = call.plane.clock.now();
  fleet::ReplicaState& state = provider->state->replicas[index];
  switch (order) {
    case Order::kDrain: state.drain(); break;
    case Order::kEnable: state.enable(now); break;
    case Order::kReset: state.breaker.reset(now); break;
  }
  audit(call, {.action = name(order),
               .provider = provider->name,
               .replica = provider->replicas[index].url});
  Reply reply;
  json::Writer json(reply.body);
  show_replica(json, *provider, index, now);
  return reply;
}

}  // namespace

Task<Result<Reply>> show_providers(const Call& call) {
  const std::shared_ptr<const gateway::Snapshot> snapshot = call.plane.config.snapshot();
  const TimePoint now = call.plane.clock.now();
  Reply reply;
  json::Writer json(reply.body);
  json.begin_object().key("providers").begin_array();
  for (const fleet::Provider& provider : snapshot->providers)
    show_provider(json, provider, snapshot->retry.budget, now);
  json.end_array().end_object();
  co_return reply;
}

Task<Result<Reply>> drain_replica(const Call& call) { co_return obey(call, Order::kDrain); }
Task<Result<Reply>> enable_replica(const Call& call) { co_return obey(call, Order::kEnable); }
Task<Result<Reply>> reset_replica(const Call& call) { co_return obey(call, Order::kReset); }

}  // namespace penstock::admin
