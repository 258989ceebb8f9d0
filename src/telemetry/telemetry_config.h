#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "base/field.h"
#include "base/field_text.h"

namespace penstock::telemetry {

// YAML: telemetry
struct TelemetryConfig {
  std::string access_log = "stdout";  // stdout | stderr | off | file:path
  std::string audit_log = "stdout";   // likewise
};

constexpr auto fields(Describe<TelemetryConfig>) {
  using C = TelemetryConfig;
  return std::tuple{
      field("access_log", &C::access_log, kLogTargetRule, Reload::kRestart,
            "Where the access log goes: stdout, stderr, off or file:path."),
      field("audit_log", &C::audit_log, kLogTargetRule, Reload::kRestart,
            "Where the audit log goes, likewise: changes made through the admin plane."),
  };
}

constexpr auto later_keys(Describe<TelemetryConfig>) {
  return std::array<std::string_view, 2>{"otlp", "sample"};
}

}  // namespace penstock::telemetry
