#pragma once

#include <vector>

#include "config/config.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {

// Where the gauges of the ceilings on requests in flight are read from: the process's, those of
// tenants and workloads while they have one, in the config's order, and the providers'. They stay
// readable while `process` lives, whatever config replaces this one.
[[nodiscard]] std::vector<telemetry::CeilingReads> ceiling_reads(const gateway::Process& process,
                                                                 const config::Config& config,
                                                                 const gateway::Snapshot& snapshot);

}  // namespace penstock::app
