#pragma once

#include <optional>

#include "base/rng.h"
#include "base/units.h"

namespace penstock::control {

// When to come back after a refusal, so that those refused together do not return together
// (docs/reference/endpoints.md). A rate limit needs none of this: its wait is exact.

// `overloaded`: uniform in 1–2 s.
[[nodiscard]] Duration overloaded_wait(Rng& rng);

// `no_replica`: until the earliest end of a breaker, a cool-down or the next probe, 1–30 s, plus up
// to 20 % at random. Nothing known: 1 s.
[[nodiscard]] Duration no_replica_wait(std::optional<TimePoint> earliest, TimePoint now, Rng& rng);

}  // namespace penstock::control
