#include "control/refusal_wait.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "base/units.h"

namespace penstock::control {

Duration overloaded_wait(Rng& rng) {
  constexpr Duration kSpread = 1s;
  return 1s + Duration(rng.below(static_cast<std::uint64_t>(kSpread.count()) + 1));
}

Duration no_replica_wait(std::optional<TimePoint> earliest, TimePoint now, Rng& rng) {
  const Duration told = earliest ? *earliest - now : Duration(0);
  const Duration wait = std::clamp(told, Duration(1s), Duration(30s));
  return wait + Duration(rng.below(static_cast<std::uint64_t>((wait / 5).count()) + 1));
}

}  // namespace penstock::control
