#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "base/error.h"
#include "base/units.h"

namespace penstock::control {

// Which replica of the target: one that this request has not tried yet, by the balancer, or the one
// that it tried last.
enum class Place : std::uint8_t { kUntried, kSame };

// Begin an attempt at this target of the route (an index into its targets).
struct Start {
  std::size_t target = 0;
  Place place = Place::kUntried;
};
// Wait until then, or until the client leaves; then do `next`.
struct SleepUntil {
  TimePoint at{};
  Start next;
};
// No further attempt: this is what the client is told.
struct Finish {
  Error error;
};
using Decision = std::variant<Start, SleepUntil, Finish>;

}  // namespace penstock::control
