#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "control/retry_plan.h"

namespace penstock::fleet {

// One place where requests for a model may go.
struct Target {
  std::size_t provider = 0;  // index into the fleet
  std::string model;         // the provider's own name for it
  std::uint32_t weight = 1;  // of a weighted one
  control::TargetRole role = control::TargetRole::kWeighted;

  [[nodiscard]] control::PlanTarget planned() const noexcept {
    return {.provider = provider, .weight = weight, .role = role};
  }
};

}  // namespace penstock::fleet
