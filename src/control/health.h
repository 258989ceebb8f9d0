#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "base/units.h"

namespace penstock::control {

// How many results in a row, against what is believed, change it.
struct Hysteresis {
  std::uint32_t healthy_after = 2;
  std::uint32_t unhealthy_after = 3;
};

// Unknown until the first probe ends; an unknown replica is eligible.
enum class HealthState : std::uint8_t { kUnknown, kHealthy, kUnhealthy };
enum class ProbeEnd : std::uint8_t { kPassed, kFailed };

// The out-of-band guard of one replica: what its probes say, with hysteresis. From unknown one
// result decides. Written by the one prober of the replica, read by all workers.
class Health {
 public:
  // Returns the state after this probe.
  HealthState on_probe(ProbeEnd end, const Hysteresis& config, TimePoint now) noexcept;

  [[nodiscard]] HealthState state() const noexcept {
    return static_cast<HealthState>(word_.load(std::memory_order_relaxed) & 3);
  }
  // When it last came back from being unhealthy: the beginning of slow start. Not set by the first
  // probe of a process.
  [[nodiscard]] std::optional<TimePoint> recovered_at() const noexcept;

 private:
  void move_to(HealthState state, TimePoint recovered_at) noexcept;
  std::atomic<std::uint64_t> word_ = 0;  // nanoseconds of recovered_at, then two bits of state
  std::uint32_t against_ = 0;            // results in a row that contradict the state
};

// The pause before the next probe: the interval ± 10 %, so that probes of many gateways and
// replicas spread out. The first probe runs at start.
[[nodiscard]] Duration probe_pause(Duration interval, Rng& rng);

}  // namespace penstock::control
