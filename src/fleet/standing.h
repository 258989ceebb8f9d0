#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "control/priority.h"
#include "fleet/provider.h"

namespace penstock::fleet {

// Why a replica may or may not take a call now; the best first.
enum class Standing : std::uint8_t {
  kEligible,
  kAskedToWait,  // its Retry-After is not over: only where nothing else is eligible
  kHalfOpen,     // the few that hold a probe's token
  kBreakerOpen,
  kUnhealthy,
  kDrained,   // by an operator
  kDegraded,  // its provider is slow: not for this class of requests
  kFull,      // its provider is at its in_flight limit
};

// Whether no call may go there at all, not even as a last resort.
[[nodiscard]] constexpr bool is_out(Standing standing) noexcept {
  return standing > Standing::kHalfOpen;
}

// As operators and clients read it.
[[nodiscard]] std::string_view name(Standing standing) noexcept;

// Of the replica alone, whatever its provider's limit says.
[[nodiscard]] Standing standing_of(const Provider& provider, std::size_t replica, TimePoint now);

// Of the provider as a whole, for this class of requests: kEligible, kDegraded or kFull.
[[nodiscard]] Standing standing_of(const Provider& provider, control::Priority priority);

// Of the replica for this class of requests, its provider looked at too. A replica that is out by
// itself is told as that: a full provider may have room again in a moment.
[[nodiscard]] Standing standing_of(const Provider& provider, std::size_t replica,
                                   control::Priority priority, TimePoint now);

// When a replica that is out may be back, as far as that is known: the end of its breaker or of its
// wait, or its next probe.
[[nodiscard]] std::optional<TimePoint> back_at(const Provider& provider, std::size_t replica,
                                               TimePoint now);

// Whether any replica of the provider could take a call now.
[[nodiscard]] bool any_eligible(const Provider& provider, TimePoint now);

}  // namespace penstock::fleet
