#include "control/health.h"

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/rng.h"
#include "base/units.h"

namespace penstock::control {

HealthState Health::on_probe(ProbeEnd end, const Hysteresis& config, TimePoint now) noexcept {
  const HealthState said =
      end == ProbeEnd::kPassed ? HealthState::kHealthy : HealthState::kUnhealthy;
  const HealthState was = state();
  if (said == was) {
    against_ = 0;
    return was;
  }
  ++against_;
  const std::uint32_t needed = was == HealthState::kUnknown    ? 1
                               : said == HealthState::kHealthy ? config.healthy_after
                                                               : config.unhealthy_after;
  if (against_ < needed) return was;
  against_ = 0;
  const bool recovers = was == HealthState::kUnhealthy;
  move_to(said, recovers ? now : TimePoint{});
  return said;
}

std::optional<TimePoint> Health::recovered_at() const noexcept {
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  if (word >> 2 == 0) return std::nullopt;
  return TimePoint(Duration(word >> 2));
}

void Health::move_to(HealthState state, TimePoint recovered_at) noexcept {
  const auto since = static_cast<std::uint64_t>(recovered_at.time_since_epoch().count());
  word_.store(since << 2 | static_cast<std::uint64_t>(state), std::memory_order_relaxed);
}

Duration probe_pause(Duration interval, Rng& rng) {
  const auto fifth = static_cast<std::uint64_t>(interval.count() / 5);
  return interval - interval / 10 + Duration(rng.below(fifth + 1));
}

}  // namespace penstock::control
