#include "tests/scenario/simulation_plan.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/rng.h"
#include "base/units.h"
#include "control/priority.h"
#include "crypto/hex.h"
#include "crypto/sha256.h"
#include "gateway/delivery.h"
#include "tests/scenario/faulty_fleet.h"
#include "tests/scenario/scenario.h"

namespace penstock::scenario {
namespace {

constexpr Duration kDeadline = 2s;  // the model's
constexpr std::uint64_t kAttemptsMost = 4;

Duration random_time(Rng& rng, Duration most) {
  return Duration(rng.below(static_cast<std::uint64_t>(most.count())));
}

Duration random_ms(Rng& rng, std::uint64_t least, std::uint64_t span) {
  return std::chrono::milliseconds(least + rng.below(span));
}

// Up to three above `least`: a tenant's are not below those of its workloads, where they would
// never bind.
DrawnLimits draw_limits(Rng& rng, std::uint64_t least) {
  DrawnLimits limits;
  if (rng.below(2) == 0) limits.in_flight = least + rng.below(4);
  if (rng.below(4) == 0) {
    limits.per_second = least + rng.below(4);
    limits.burst = least + rng.below(4);
  }
  return limits;
}

DrawnTenant draw_tenant(Rng& rng, std::size_t place) {
  DrawnTenant tenant;
  tenant.name = fmt::format("t{}", place);
  tenant.limits = draw_limits(rng, 4);
  for (const std::string_view name : {"day", "night"}) {
    DrawnWorkload& workload = tenant.workloads.emplace_back();
    workload.name = name;
    workload.priority = static_cast<control::Priority>(rng.below(control::kPriorityCount));
    workload.delivery =
        rng.below(3) == 0 ? gateway::Delivery::kBuffered : gateway::Delivery::kStream;
    workload.limits = draw_limits(rng, 1);
  }
  return tenant;
}

std::string_view name(control::Priority priority) {
  switch (priority) {
    case control::Priority::kBatch: return "batch";
    case control::Priority::kStandard: return "standard";
    case control::Priority::kInteractive: return "interactive";
  }
  return {};
}

std::string key_of(const DrawnTenant& tenant, const DrawnWorkload& workload) {
  return "sk-" + tenant.name + "-" + workload.name;
}

std::string limits_text(const DrawnLimits& limits) {
  std::string text;
  if (limits.in_flight) text += fmt::format("in_flight: {}", *limits.in_flight);
  if (limits.in_flight && limits.per_second) text += ", ";
  if (limits.per_second)
    text += fmt::format("requests: {}/s, burst: {}", *limits.per_second, limits.burst);
  return "limits: { " + text + " }";
}

std::string tenant_text(const DrawnTenant& tenant) {
  std::string workloads;
  std::string keys;
  for (const DrawnWorkload& workload : tenant.workloads) {
    if (!keys.empty()) {
      workloads += ", ";
      keys += ", ";
    }
    workloads += fmt::format(
        "{}: {{ priority: {}, delivery: {}, {} }}", workload.name, name(workload.priority),
        workload.delivery == gateway::Delivery::kBuffered ? "buffered" : "stream",
        limits_text(workload.limits));
    keys += fmt::format("{{ id: {0}, workload: {0}, sha256: {1} }}", workload.name,
                        crypto::hex_encode(crypto::sha256(key_of(tenant, workload))));
  }
  return fmt::format("  {}: {{ {}, workloads: {{ {} }}, keys: [ {} ] }}\n", tenant.name,
                     limits_text(tenant.limits), workloads, keys);
}

std::string providers_text(Rng& rng) {
  constexpr std::string_view kBalances[] = {"weighted_round_robin", "least_request", "peak_ewma"};
  const std::string_view balance_a = kBalances[rng.below(3)];
  const std::string_view balance_b = kBalances[rng.below(3)];
  const std::string connections = std::to_string(1 + rng.below(3));
  const std::string common =
      ", timeouts: { first_byte: 300ms, idle: 400ms, connect: 100ms },"
      " breaker: { slow_call: 150ms, rate: 60%, samples_min: 6, window: 2s, open_for: 300ms },"
      " slow_start: 500ms, keep_alive: 1s, balance: ";
  return "providers:\n"
         "  a: { dialect: openai, replicas: [ http://up0:8000, { url: http://up1:8000, weight: 2 } "
         "]" +
         common + std::string(balance_a) +
         " }\n"
         "  b: { dialect: openai, replicas: [ http://up2:8000 ], limits: { in_flight: 5, "
         "connections: " +
         connections + ", waiting: 2, wait: 100ms }" + common + std::string(balance_b) +
         " }\n"
         "  c: { dialect: openai, replicas: [ http://up3:8000 ]" +
         common + "least_request }\n";
}

std::string draw_config(Rng& rng, SimulationPlan& plan) {
  plan.attempts_max = static_cast<std::uint32_t>(1 + rng.below(kAttemptsMost));
  plan.in_flight = 2 + rng.below(8);
  const std::uint64_t places = rng.below(3) * 4;
  const Duration wait = random_ms(rng, 20, 400);
  if (places != 0) plan.queue_wait = wait;
  for (std::size_t i = 0; i < 2; ++i) plan.tenants.push_back(draw_tenant(rng, i));
  std::string text = fmt::format(
      "auth: {{ mode: keys }}\n"
      "retry: {{ attempts_max: {}, budget: {}%, backoff_base: 5ms, backoff_cap: 50ms,"
      " wait_max: 1s }}\n"
      "limits: {{ in_flight: {} }}\n"
      "admission: {{ queue: {}, queue_wait: {}ms }}\n"
      "stream: {{ heartbeat: 120ms }}\n"
      "tenants:\n",
      plan.attempts_max, rng.below(3) * 50, plan.in_flight, places,
      std::chrono::floor<std::chrono::milliseconds>(plan.queue_wait).count());
  for (const DrawnTenant& tenant : plan.tenants) text += tenant_text(tenant);
  text += providers_text(rng);
  return text + fmt::format(
                    "models:\n"
                    "  m: {{ targets: [ {{ provider: a, model: up, weight: 3 }},"
                    " {{ provider: b, model: up }} ],\n"
                    "       fallback: [ {{ provider: c, model: up }} ], deadline: {}s }}\n",
                    std::chrono::floor<std::chrono::seconds>(kDeadline).count());
}

// How long the client says it will wait: in our own header, as an SDK does, or not at all.
std::string draw_patience(Rng& rng, Asks asks, PlannedCall& call) {
  call.patience = kDeadline;
  const std::uint64_t way = rng.below(6);
  if (way > 2) return {};
  const Duration told = random_ms(rng, 20, 800);
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(told).count();
  if (way == 2) {  // of a stream it bounds the first content only
    if (asks == Asks::kUnary) call.patience = told;
    return fmt::format("x-stainless-read-timeout: 0.{:03}\r\n", ms);
  }
  call.patience = told;
  return fmt::format("x-request-timeout-ms: {}\r\n", ms);
}

PlannedCall draw_call(Rng& rng, const SimulationPlan& plan, std::size_t place) {
  PlannedCall call;
  call.at = random_time(rng, SimulationPlan::kSpan);
  call.tenant = rng.below(plan.tenants.size());
  call.workload = rng.below(plan.tenants[call.tenant].workloads.size());
  call.leave = rng.below(2) == 0 ? Leave::kClose : Leave::kReset;
  if (rng.below(5) == 0) call.leave_at = call.at + random_time(rng, 600ms);
  const std::string fields = draw_patience(rng, plan.asks, call);
  const std::string_view body = plan.asks == Asks::kStreams
                                    ? R"({"model":"m","stream":true,"messages":[]})"
                                    : R"({"model":"m","messages":[]})";
  call.bytes = fmt::format(
      "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-request-id: r{}\r\n"
      "authorization: Bearer {}\r\n{}"
      "content-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
      place, key_of(plan.tenant_of(call), plan.workload_of(call)), fields, body.size(), body);
  return call;
}

}  // namespace

SimulationPlan draw_plan(Rng& rng) {
  SimulationPlan plan;
  plan.asks = rng.below(2) == 0 ? Asks::kUnary : Asks::kStreams;
  plan.config = draw_config(rng, plan);
  for (std::size_t i = 0; i < SimulationPlan::kCalls; ++i)
    plan.calls.push_back(draw_call(rng, plan, i));
  return plan;
}

}  // namespace penstock::scenario
