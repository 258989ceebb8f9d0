#pragma once

#include <vector>

#include "base/metric_source.h"
#include "config/config.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {

// Where the gauges of the ceilings on requests in flight are read from: the process's, and those of
// tenants and workloads that have one, in the config's order. They stay readable while `process`
// lives, whatever config replaces this one.
[[nodiscard]] std::vector<telemetry::CeilingReads> ceiling_reads(const gateway::Process& process,
                                                                 const config::Config& config,
                                                                 const gateway::Snapshot& snapshot);

// How full each provider's own ceiling is; for `saturation_ratio`.
[[nodiscard]] std::vector<CallbackSource::Read> provider_saturations(
    const gateway::Snapshot& snapshot);

}  // namespace penstock::app
