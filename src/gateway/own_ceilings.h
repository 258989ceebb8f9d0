#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "control/priority.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// One of the caller's own ceilings.
struct OwnCeiling {
  const CallerLimits* limits = nullptr;
  control::Priority as = control::Priority::kInteractive;  // how far the request may fill it
  std::string_view whose;
};

// Those that there are, innermost first. A workload's has no shares.
struct OwnCeilings {
  std::array<OwnCeiling, 2> all{};
  std::size_t count = 0;
};
[[nodiscard]] OwnCeilings own_ceilings(const RequestScope& scope) noexcept;

// Why a request is refused at a ceiling.
[[nodiscard]] Error ceiling_reached(std::string_view whose);

}  // namespace penstock::gateway
