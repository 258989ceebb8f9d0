#pragma once

namespace penstock {

// Names a type for the look-up of its tables: `fields(Describe<RetryConfig>)` for config,
// `metrics(Describe<GatewayMetrics>)` for metrics.
template <class T>
struct Describe {};

}  // namespace penstock
