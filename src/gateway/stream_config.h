#pragma once

#include <tuple>

#include "base/field.h"
#include "base/units.h"

namespace penstock::gateway {

// YAML: stream
struct StreamConfig {
  Duration heartbeat = 15s;
};

constexpr auto fields(Describe<StreamConfig>) {
  using C = StreamConfig;
  return std::tuple{
      field("heartbeat", &C::heartbeat, range(100ms, 1h), Reload::kLive,
            "During silence a stream carries a comment line this often."),
  };
}

}  // namespace penstock::gateway
