#pragma once

#include <string>

#include "base/metric_source.h"

namespace penstock::telemetry {

// The `process_*` rows of this process, read from /proc at each scrape. A value that cannot be
// read is left out.
class ProcessMetrics final : public MetricSource {
 public:
  void collect(MetricSink& sink) const override;
};

// `penstock_build_info` with constant value 1.
class BuildInfo final : public MetricSource {
 public:
  explicit BuildInfo(std::string version);
  void collect(MetricSink& sink) const override;

 private:
  std::string version_;
};

}  // namespace penstock::telemetry
