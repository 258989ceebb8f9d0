#pragma once

#include <span>
#include <string>

#include "base/metric_source.h"

namespace penstock::telemetry {

// The families of the sources as a Markdown page, sorted by name. docs/generated/metrics.md is
// this text, and a test compares the two.
[[nodiscard]] std::string render_metric_docs(std::span<const MetricSource* const> sources);

}  // namespace penstock::telemetry
