#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

#include "base/field.h"
#include "base/units.h"

namespace penstock::gateway {

inline constexpr Rule kRequestsRule =
    range(PerTime{1, Per::kHour}, PerTime{1'000'000, Per::kSecond});
inline constexpr Rule kBurstRule = range(1, 1'000'000'000);
inline constexpr Rule kTokensRule = range(PerTime{1, Per::kHour}, PerTime{1'000'000, Per::kSecond});

// YAML: tenants.T.limits and tenants.T.workloads.W.limits
struct CallerLimitsConfig {
  std::optional<PerTime> requests;         // absent: any number
  std::optional<std::uint32_t> burst;      // absent: see burst_of()
  std::optional<PerTime> tokens;           // absent: any number
  std::optional<std::uint32_t> in_flight;  // absent: as many as the process serves
};

constexpr auto fields(Describe<CallerLimitsConfig>) {
  using C = CallerLimitsConfig;
  return std::tuple{
      field("requests", &C::requests, kRequestsRule, Reload::kLive,
            "Requests over time; more are refused with 429 rate_limit_exceeded."),
      field("burst", &C::burst, kBurstRule, Reload::kLive,
            "Requests that may come at once; one second's worth when not set, at least 1."),
      field("tokens", &C::tokens, kTokensRule, Reload::kLive,
            "Tokens over time, input and output together; each call holds its estimated input and "
            "its output ceiling until it is known what it used."),
      field("in_flight", &C::in_flight, range(1, 1'000'000), Reload::kLive,
            "Requests served at once; more are refused with 503 overloaded."),
  };
}

// YAML: tenants.T.keys[].limits
struct KeyLimitsConfig {
  std::optional<PerTime> requests;
  std::optional<std::uint32_t> burst;
  std::optional<PerTime> tokens;
};

constexpr auto fields(Describe<KeyLimitsConfig>) {
  using C = KeyLimitsConfig;
  return std::tuple{
      field("requests", &C::requests, kRequestsRule, Reload::kReload,
            "Requests over time; more are refused with 429 rate_limit_exceeded."),
      field("burst", &C::burst, kBurstRule, Reload::kReload,
            "Requests that may come at once; one second's worth when not set, at least 1."),
      field("tokens", &C::tokens, kTokensRule, Reload::kReload,
            "Tokens over time, input and output together; each call holds its estimated input and "
            "its output ceiling until it is known what it used."),
  };
}

// A key's limits as those of any caller.
[[nodiscard]] constexpr CallerLimitsConfig limits_of(const KeyLimitsConfig& key) noexcept {
  return {.requests = key.requests, .burst = key.burst, .tokens = key.tokens, .in_flight = {}};
}

// What a bucket of tokens holds: what one whole unit of the rate brings. 200k/min holds 200k.
[[nodiscard]] constexpr std::uint64_t burst_of_tokens(PerTime rate) noexcept { return rate.count; }

// What a bucket of requests holds (docs/reference/endpoints.md): the burst, else what one second
// brings, at least 1.
[[nodiscard]] constexpr std::uint64_t burst_of(PerTime rate,
                                               std::optional<std::uint32_t> burst) noexcept {
  if (burst) return *burst;
  const auto seconds = static_cast<std::uint64_t>(length_of(rate.per) / Duration(1s));
  return std::max<std::uint64_t>(rate.count / seconds, 1);
}

}  // namespace penstock::gateway
