#include "app/ceiling_reads.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/tenants_config.h"
#include "control/in_flight_limit.h"
#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "gateway/caller_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/labels.h"

namespace penstock::app {
namespace {

using control::InFlightLimit;
using telemetry::Scope;

telemetry::CeilingReads reads_of(Scope scope, const InFlightLimit& ceiling) {
  return {.scope = scope,
          .in_flight = [&ceiling] { return static_cast<double>(ceiling.in_flight()); },
          .limit = [&ceiling] { return static_cast<double>(ceiling.limit()); }};
}

// One that a change of the config may bring or take away.
telemetry::CeilingReads reads_of(Scope scope, const gateway::CallerLimits& limits) {
  const auto while_there = [state = limits.state](std::uint32_t (InFlightLimit::*value)()
                                                      const noexcept) {
    return [state, value]() -> std::optional<double> {
      if (state->in_flight.limit() == gateway::LimitState::kNoCeiling) return std::nullopt;
      return static_cast<double>((state->in_flight.*value)());
    };
  };
  return {.scope = scope,
          .in_flight = while_there(&InFlightLimit::in_flight),
          .limit = while_there(&InFlightLimit::limit)};
}

}  // namespace

std::vector<telemetry::CeilingReads> ceiling_reads(const gateway::Process& process,
                                                   const config::Config& config,
                                                   const gateway::Snapshot& snapshot) {
  std::vector<telemetry::CeilingReads> reads;
  reads.push_back(reads_of(Scope::kProcess, process.in_flight));
  for (const auto& [name, tenant] : config.tenants) {
    const gateway::Tenant& compiled = snapshot.tenants.at(name);
    reads.push_back(reads_of(Scope::kTenant, compiled.limits));
    reads.back().tenant = name;
    for (const auto& [workload, unused] : tenant.workloads) {
      reads.push_back(reads_of(Scope::kWorkload, compiled.workloads.at(workload).limits));
      reads.back().tenant = name;
      reads.back().workload = workload;
    }
  }
  for (const fleet::Provider& provider : snapshot.providers) {
    const std::shared_ptr<fleet::ProviderState> state = provider.state;
    reads.push_back(
        {.scope = Scope::kProvider,
         .provider = provider.name,
         .in_flight = [state] { return static_cast<double>(state->in_flight.in_flight()); },
         .limit = [state] { return static_cast<double>(state->in_flight.limit()); }});
  }
  return reads;
}

}  // namespace penstock::app
