#pragma once

#include <cstdint>
#include <optional>

#include "base/field.h"
#include "control/rate_bucket.h"

namespace penstock::control {

// What each gateway allows by itself while the store that they share is away.
struct EmergencyPart {
  Ratio share{200'000};        // of every limit, over all gateways
  std::uint32_t gateways = 1;  // that the share is divided by; at least 1
};

// This gateway's part of a rate: rate and burst × share ÷ gateways, the burst at least 1. nullopt
// for a share of 0: nothing passes.
[[nodiscard]] std::optional<BucketShape> emergency_shape(const Rate& rate,
                                                         const EmergencyPart& part) noexcept;

// This gateway's part of a ceiling, rounded down; at least 1, but 0 for a share of 0.
[[nodiscard]] std::uint32_t emergency_ceiling(std::uint32_t ceiling,
                                              const EmergencyPart& part) noexcept;

}  // namespace penstock::control
