#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

// What became of an attempt, or of a request: classified once, read by breaker, retry, health,
// metrics alike. The classification itself is control/outcome.h.
enum class Outcome : std::uint8_t {
  kOk,
  kClientError,  // the caller's request was wrong; neutral for the replica
  kOverload,     // 429, 503 with Retry-After, 529: load, not a fault
  kFault,        // the replica's doing
  kSlow,
  kTimeout,    // the replica exceeded its own time limit
  kCancelled,  // the client left; never an error
  kDeadline,   // our own deadline
  kLocal,      // no descriptors, no ports, no pool place: ours, and an alarm
};
inline constexpr std::size_t kOutcomeCount = 9;

[[nodiscard]] constexpr std::string_view name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::kOk: return "ok";
    case Outcome::kClientError: return "client_error";
    case Outcome::kOverload: return "overload";
    case Outcome::kFault: return "fault";
    case Outcome::kSlow: return "slow";
    case Outcome::kTimeout: return "timeout";
    case Outcome::kCancelled: return "cancelled";
    case Outcome::kDeadline: return "deadline";
    case Outcome::kLocal: return "local";
  }
  return "unknown";
}

}  // namespace penstock
