#pragma once

#include <array>
#include <cstdint>

#include "base/describe.h"
#include "base/field.h"

namespace penstock::gateway {

// How a streamed reply reaches the client (YAML: tenants.T.workloads.W.delivery).
enum class Delivery : std::uint8_t {
  kStream,    // as it comes
  kBuffered,  // gathered first, so that even one that fails half-way may be tried again
};

constexpr auto enum_names(Describe<Delivery>) {
  return std::array{EnumName<Delivery>{"stream", Delivery::kStream},
                    EnumName<Delivery>{"buffered", Delivery::kBuffered}};
}

}  // namespace penstock::gateway
