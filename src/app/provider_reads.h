#pragma once

#include <vector>

#include "base/clock.h"
#include "gateway/snapshot.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {

// Where the gauges of a config's providers are read from. They stay readable while `clock` lives,
// whatever config replaces this one.
[[nodiscard]] std::vector<telemetry::ProviderReads> provider_reads(
    const gateway::Snapshot& snapshot, const Clock& clock);

}  // namespace penstock::app
