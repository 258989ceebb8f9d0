#pragma once

#include <cstdint>
#include <tuple>

#include "base/field.h"
#include "base/units.h"

namespace penstock::gateway {

// YAML: limits. Bounds of the whole process.
struct LimitsConfig {
  std::uint32_t in_flight = 2000;
  Bytes body_bytes = 32_MiB;
  Bytes body_memory = 1_GiB;
  Bytes header_bytes = 64_KiB;
  Bytes target_bytes = 8_KiB;
  Bytes event_bytes = 4_MiB;
};

constexpr auto fields(Describe<LimitsConfig>) {
  using C = LimitsConfig;
  return std::tuple{
      field("in_flight", &C::in_flight, range(1, 1'000'000), Reload::kLive,
            "Requests served at once; more are refused with 503 overloaded."),
      field("body_bytes", &C::body_bytes, range(1_KiB, 1_GiB), Reload::kRestart,
            "Largest request body; more is 413."),
      field("body_memory", &C::body_memory, range(1_MiB, 1024_GiB), Reload::kRestart,
            "Memory for all bodies together: of requests, and of replies while they are held; when "
            "it is full: 503 overloaded."),
      field("header_bytes", &C::header_bytes, range(1_KiB, 1_MiB), Reload::kRestart,
            "Largest request head; more is 431."),
      field("target_bytes", &C::target_bytes, range(256_B, 1_MiB), Reload::kRestart,
            "Longest request target; more is 414."),
      field("event_bytes", &C::event_bytes, range(1_KiB, 256_MiB), Reload::kRestart,
            "Largest event of an upstream's stream; more ends the stream with an error event."),
  };
}

}  // namespace penstock::gateway
