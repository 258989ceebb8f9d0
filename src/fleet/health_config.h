#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "base/describe.h"
#include "base/field.h"
#include "base/units.h"
#include "control/health.h"

namespace penstock::fleet {

// YAML: providers.P.health. Absent: replicas are not probed, and their health stays unknown.
struct HealthConfig {
  std::string path = "/health";  // on the replica's root, not under its base path
  std::string model;             // empty: the list of models is not asked for
  Duration interval = 5s;
  Duration timeout = 2s;  // of a whole probe
  std::uint32_t healthy_after = 2;
  std::uint32_t unhealthy_after = 3;

  [[nodiscard]] control::Hysteresis hysteresis() const noexcept {
    return {.healthy_after = healthy_after, .unhealthy_after = unhealthy_after};
  }
};

// An absolute path in visible ASCII, without a query's end or blanks.
constexpr std::string_view check_probe_path(std::string_view path) {
  if (path.empty() || path.front() != '/') return "must begin with /";
  for (const char c : path)
    if (c <= ' ' || c > '~' || c == '#') return "must be a path of visible ASCII characters";
  return {};
}
inline constexpr Rule kProbePathRule = shaped(check_probe_path, "^/[!-\"$-~]*$", "/health");

constexpr auto fields(Describe<HealthConfig>) {
  using C = HealthConfig;
  return std::tuple{
      field("path", &C::path, kProbePathRule, Reload::kRestart,
            "What a probe asks for, on the replica's root; 2xx is healthy."),
      field("model", &C::model, any(), Reload::kRestart,
            "When set, the replica's list of models must name it too."),
      field("interval", &C::interval, range(50ms, 1h), Reload::kRestart,
            "Between probes of one replica, ± 10 % at random."),
      field("timeout", &C::timeout, range(50ms, 10min), Reload::kRestart,
            "Longest time for a whole probe."),
      field("healthy_after", &C::healthy_after, range(1, 100), Reload::kRestart,
            "Passed probes in a row that bring a replica back."),
      field("unhealthy_after", &C::unhealthy_after, range(1, 100), Reload::kRestart,
            "Failed probes in a row that take a replica out."),
  };
}

}  // namespace penstock::fleet
