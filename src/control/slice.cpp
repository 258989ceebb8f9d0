#include "control/slice.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/units.h"
#include "control/rate_bucket.h"

namespace penstock::control {
namespace {

constexpr std::uint64_t kUnitsMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kHotPerSecond = 100;  // docs/reference/quotas.md

std::uint32_t ms_of(TimePoint at) noexcept {
  return static_cast<std::uint32_t>(at.time_since_epoch() / 1ms);
}

std::uint64_t units_in(std::uint64_t word) noexcept { return word & kUnitsMax; }

// How long it has been dead; not positive: it lives. Right within 24 days of its end.
std::int32_t dead_ms(std::uint64_t word, TimePoint now) noexcept {
  return static_cast<std::int32_t>(ms_of(now) - static_cast<std::uint32_t>(word >> 32));
}

TimePoint filled_at(std::uint64_t word, TimePoint now) noexcept {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(now.time_since_epoch());
  return TimePoint(ms - std::chrono::milliseconds(dead_ms(word, now)) - Slice::kLife);
}

std::uint64_t refill_of(const Rate& rate) noexcept {  // in 100 ms
  const auto per_ms = static_cast<std::uint64_t>(rate.per / 1ms);
  return per_ms == 0 ? 0 : rate.units * 100 / per_ms;
}

std::uint64_t word_of(std::uint64_t units, TimePoint end) noexcept {
  return std::uint64_t{ms_of(end)} << 32 | std::min(units, kUnitsMax);
}

}  // namespace

std::optional<TimePoint> Slice::take(TimePoint now, std::uint64_t units) noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  do {
    if (units_in(word) < units || dead_ms(word, now) > 0) return std::nullopt;
  } while (!word_.compare_exchange_weak(word, word - units, std::memory_order_relaxed));
  return filled_at(word, now);
}

Slice::Leftover Slice::drain(TimePoint now) noexcept {
  const std::uint64_t word = word_.exchange(0, std::memory_order_relaxed);
  if (units_in(word) == 0 || dead_ms(word, now) > kLife / 1ms) return {};
  return {.units = units_in(word), .filled = filled_at(word, now)};
}

void Slice::fill(TimePoint now, std::uint64_t units) noexcept {
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    const std::uint64_t held = dead_ms(word, now) > 0 ? 0 : units_in(word);
    next = word_of(held + units, now + kLife);
  } while (!word_.compare_exchange_weak(word, next, std::memory_order_relaxed));
}

std::uint64_t Slice::left(TimePoint now) const noexcept {
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  return dead_ms(word, now) > 0 ? 0 : units_in(word);
}

std::uint64_t in_hand_max(const Rate& rate, std::uint64_t mean) noexcept {
  return std::min(std::max(refill_of(rate), 10 * mean), rate.burst / 20);
}

std::uint64_t slice_units(const SliceNeed& need) noexcept {
  const auto per_ms = static_cast<std::uint64_t>(need.tightest.per / 1ms);
  if (per_ms == 0 || need.mean == 0) return 0;
  if (need.tightest.units * 1000 / per_ms < kHotPerSecond) return 0;
  std::uint64_t units = std::max(refill_of(need.tightest), 10 * need.mean);
  units = std::min({units, need.smallest / 20, need.per_second * need.mean, kUnitsMax});
  return units < need.mean ? 0 : units;
}

}  // namespace penstock::control
