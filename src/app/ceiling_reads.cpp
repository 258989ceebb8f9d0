#include "app/ceiling_reads.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/metric_source.h"
#include "config/config.h"
#include "config/tenants_config.h"
#include "fleet/provider.h"
#include "gateway/caller_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "telemetry/gateway_metrics.h"
#include "telemetry/labels.h"

namespace penstock::app {
namespace {

telemetry::CeilingReads reads_of(telemetry::Scope scope, std::string tenant, std::string workload,
                                 const gateway::CallerLimits& limits) {
  const std::shared_ptr<const gateway::LimitState> state = limits.state;
  return {.scope = scope,
          .tenant = std::move(tenant),
          .workload = std::move(workload),
          .in_flight = [state] { return static_cast<double>(state->in_flight.in_flight()); },
          .limit = [state] { return static_cast<double>(state->in_flight.limit()); }};
}

}  // namespace

std::vector<telemetry::CeilingReads> ceiling_reads(const gateway::Process& process,
                                                   const config::Config& config,
                                                   const gateway::Snapshot& snapshot) {
  using telemetry::Scope;
  std::vector<telemetry::CeilingReads> reads;
  reads.push_back(
      {.scope = Scope::kProcess,
       .in_flight = [&process] { return static_cast<double>(process.in_flight.in_flight()); },
       .limit = [&process] { return static_cast<double>(process.in_flight.limit()); }});
  for (const auto& [name, tenant] : config.tenants) {
    const gateway::Tenant& compiled = snapshot.tenants.at(name);
    if (compiled.limits.in_flight)
      reads.push_back(reads_of(Scope::kTenant, name, "", compiled.limits));
    for (const auto& [workload, unused] : tenant.workloads) {
      const gateway::CallerLimits& limits = compiled.workloads.at(workload).limits;
      if (limits.in_flight) reads.push_back(reads_of(Scope::kWorkload, name, workload, limits));
    }
  }
  return reads;
}

std::vector<CallbackSource::Read> provider_saturations(const gateway::Snapshot& snapshot) {
  std::vector<CallbackSource::Read> reads;
  for (const fleet::Provider& provider : snapshot.providers)
    reads.emplace_back([state = provider.state] { return state->in_flight.saturation(); });
  return reads;
}

}  // namespace penstock::app
