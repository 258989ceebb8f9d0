#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/byte_budget.h"
#include "base/label.h"
#include "base/rng.h"
#include "base/seams.h"
#include "control/in_flight_limit.h"
#include "dialect/surface.h"
#include "fleet/selection.h"
#include "gateway/admission_config.h"
#include "gateway/key_desk.h"
#include "gateway/limits_config.h"
#include "gateway/snapshot.h"
#include "gateway/waiting_room.h"
#include "identity/token_cache.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "store/quota_store.h"
#include "store/redis_quotas.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::gateway {

// What all workers of the process share. Outlives them.
struct Process {
  explicit Process(const LimitsConfig& limits, const AdmissionConfig& admission = AdmissionConfig())
      : in_flight(limits.in_flight),
        waiting_room(in_flight, admission.queue),
        body_memory(limits.body_memory) {}
  control::InFlightLimit in_flight;
  WaitingRoom waiting_room;  // in front of in_flight
  ByteBudget body_memory;
  KeyDesk key_desk;  // of the identity provider, where tokens are taken
  LabelNames labels;
  store::SharedQuotas* shared_quotas = nullptr;  // null: quotas are counted here
  std::atomic<bool> ready = false;
  std::atomic<bool> draining = false;
  std::atomic<std::uint64_t> cut = 0;  // requests that draining cut
};

// Where lines go. They outlive the workers.
struct Logs {
  LogSink& access;     // one line a request
  LogSink& operators;  // what went wrong, for those who run the gateway
  LogSink& audit;      // decisions that somebody may have to answer for
};

// One worker thread's own things; touched on its thread only.
struct Worker {
  Worker(Process& shared, runtime::EventLoop& its_loop, net::Dialer& dialer,
         std::unique_ptr<Rng> random, Logs logs, std::shared_ptr<const Snapshot> config);

  Process& process;
  runtime::EventLoop& loop;
  std::unique_ptr<Rng> rng;
  LogSink& access_log;
  LogSink& log;
  LogSink& audit_log;
  std::shared_ptr<const Snapshot> snapshot;
  store::QuotaStore* quotas = nullptr;  // outlives it; null: limits are this process's own
  std::vector<std::unique_ptr<net::ConnectionPool>> pools;  // by provider
  fleet::Balancers balancers;
  telemetry::GatewayMetrics metrics;
  KeysInForce keys;             // as last taken from the desk
  identity::TokenCache tokens;  // verified ones
  std::array<Label, 8> surface_labels{};
  std::string log_line;  // reused from request to request

  // Serves requests that begin from now on by another snapshot of the same providers and replicas;
  // what runs keeps its own.
  void adopt(std::shared_ptr<const Snapshot> next);

  [[nodiscard]] Label label(dialect::Surface surface) const noexcept {
    return surface_labels[static_cast<std::size_t>(surface)];
  }
};

}  // namespace penstock::gateway
