#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "lab/runner/bench.h"
#include "lab/runner/children.h"
#include "lab/runner/trial.h"

namespace penstock::lab {

// When the gateway took a replica out, as its gauges show; microseconds on the monotonic clock.
struct ReplicaOut {
  std::optional<std::int64_t> breaker;  // provider_status became 2 (open)
  std::optional<std::int64_t> health;   // replica_healthy became 0

  // The earlier of both; nullopt: neither.
  [[nodiscard]] std::optional<std::int64_t> either() const noexcept;
};

// What must be seen before the watch may end.
enum class Until : std::uint8_t { kBreaker, kBoth, kEither };

// Scrapes the gateway every 20 ms until what is wanted was seen, or for `at_most`. Notes what it
// sees in the trial's timeline.
[[nodiscard]] Result<ReplicaOut> watch_replica(const Bench& bench, Trial& trial,
                                               const GatewayChild& gateway, const MockChild& mock,
                                               Until until, Duration at_most);

// How many milliseconds after `from`; a minute when it was never seen, so that no bound holds.
[[nodiscard]] double ms_after(std::optional<std::int64_t> at, std::int64_t from) noexcept;

}  // namespace penstock::lab
