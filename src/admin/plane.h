#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "admin/running_config.h"
#include "base/clock.h"
#include "base/metric_source.h"
#include "base/seams.h"
#include "base/units.h"
#include "gateway/worker.h"

namespace penstock::admin {

// What does not change while the process runs.
struct About {
  std::string version;
  std::string config_file;  // as the caller named it
  std::size_t workers = 0;
  TimePoint started{};
};

// What the admin plane shows and acts on. All of it outlives the plane.
struct Plane {
  const gateway::Process& process;
  const Clock& clock;
  const std::vector<const MetricSource*>& sources;
  RunningConfig& config;
  LogSink& audit_log;
  std::function<void()> drain;  // begins to drain the process; called again it changes nothing
  About about{};
};

}  // namespace penstock::admin
