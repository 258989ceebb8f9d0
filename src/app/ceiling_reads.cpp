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
#include "gateway/caller_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/labels.h"

namespace penstock::app {
namespace {

using control::InFlightLimit;
using telemetry::Scope;

// Read while it is there: a change of the config may bring a caller's ceiling or take it away.
telemetry::CeilingReads reads_of(Scope scope, const std::shared_ptr<const InFlightLimit>& ceiling) {
  const auto while_there = [ceiling](std::uint32_t (InFlightLimit::*value)() const noexcept) {
    return [ceiling, value]() -> std::optional<double> {
      if (ceiling->limit() == gateway::LimitState::kNoCeiling) return std::nullopt;
      return static_cast<double>(((*ceiling).*value)());
    };
  };
  return {.scope = scope,
          .in_flight = while_there(&InFlightLimit::in_flight),
          .limit = while_there(&InFlightLimit::limit)};
}

// A state's ceiling, which keeps the state.
template <class State>
std::shared_ptr<const InFlightLimit> ceiling_of(const std::shared_ptr<State>& state) {
  return {state, &state->in_flight};
}

}  // namespace

std::vector<telemetry::CeilingReads> ceiling_reads(const gateway::Process& process,
                                                   const config::Config& config,
                                                   const gateway::Snapshot& snapshot) {
  std::vector<telemetry::CeilingReads> reads;
  const std::shared_ptr<const InFlightLimit> of_process(std::shared_ptr<const void>(),
                                                        &process.in_flight);  // outlives this
  reads.push_back(reads_of(Scope::kProcess, of_process));
  for (const auto& [name, tenant] : config.tenants) {
    const gateway::Tenant& compiled = snapshot.tenants.at(name);
    reads.push_back(reads_of(Scope::kTenant, ceiling_of(compiled.limits.state)));
    reads.back().tenant = name;
    for (const auto& [workload, unused] : tenant.workloads) {
      const gateway::CallerLimits& limits = compiled.workloads.at(workload).limits;
      reads.push_back(reads_of(Scope::kWorkload, ceiling_of(limits.state)));
      reads.back().tenant = name;
      reads.back().workload = workload;
    }
  }
  for (const fleet::Provider& provider : snapshot.providers) {
    reads.push_back(reads_of(Scope::kProvider, ceiling_of(provider.state)));
    reads.back().provider = provider.name;
  }
  return reads;
}

}  // namespace penstock::app
