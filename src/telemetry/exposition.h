#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/metric_source.h"

namespace penstock::telemetry {

inline constexpr std::string_view kExpositionContentType =
    "text/plain; version=0.0.4; charset=utf-8";

// All families of the sources in Prometheus' text format, sorted by name; sources that share a
// family are joined under one header. Walks every series: for the scrape's thread.
// source: Prometheus, exposition formats, text format 0.0.4.
[[nodiscard]] std::string render_exposition(std::span<const MetricSource* const> sources);

}  // namespace penstock::telemetry
