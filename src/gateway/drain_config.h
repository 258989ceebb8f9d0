#pragma once

#include <tuple>

#include "base/field.h"
#include "base/units.h"

namespace penstock::gateway {

// YAML: drain. How the process leaves.
struct DrainConfig {
  Duration settle = 5s;
  Duration timeout = 120s;
};

constexpr auto fields(Describe<DrainConfig>) {
  using C = DrainConfig;
  return std::tuple{
      field("settle", &C::settle, range(0ms, 1h), Reload::kRestart,
            "From the signal on, /readyz is 503 and everybody is still served for so long, so that "
            "a balancer in front can notice."),
      field("timeout", &C::timeout, range(0ms, 24h), Reload::kRestart,
            "What runs at the end of settle may go on for so long."),
  };
}

}  // namespace penstock::gateway
