#pragma once

#include <cstdint>
#include <tuple>

#include "base/field.h"
#include "base/units.h"

namespace penstock::gateway {

// YAML: admission. What happens when limits.in_flight is reached.
struct AdmissionConfig {
  std::uint32_t queue = 0;
  Duration queue_wait = 0s;
};

constexpr auto fields(Describe<AdmissionConfig>) {
  using C = AdmissionConfig;
  return std::tuple{
      field("queue", &C::queue, range(0, 100'000), Reload::kRestart,
            "Requests that may wait for a place under limits.in_flight; 0 refuses at once."),
      field("queue_wait", &C::queue_wait, range(0ms, 1h), Reload::kLive,
            "Longest wait for a place, then 503 overloaded."),
  };
}

}  // namespace penstock::gateway
