#include "control/rate_bucket.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/assert.h"
#include "base/units.h"

namespace penstock::control {
namespace {

constexpr std::uint64_t kTicksPerNs = 64;
constexpr std::uint64_t kCapacityTicksMax = std::uint64_t{1} << 61;  // about 1.1 years

std::uint64_t ticks(TimePoint now) noexcept {
  PENSTOCK_ASSERT(now.time_since_epoch().count() >= 0);
  return static_cast<std::uint64_t>(now.time_since_epoch().count()) * kTicksPerNs;
}

Duration whole_ns(std::uint64_t ticks) noexcept {
  return Duration((ticks + kTicksPerNs - 1) / kTicksPerNs);
}

}  // namespace

BucketShape::BucketShape(const Rate& rate) noexcept {
  PENSTOCK_ASSERT(rate.units > 0 && rate.burst > 0 && rate.per > 0s);
  const unsigned __int128 per_ticks =
      static_cast<unsigned __int128>(rate.per.count()) * kTicksPerNs;
  const auto exact = (per_ticks + rate.units - 1) / rate.units;
  ticks_per_unit_ =
      exact > kCapacityTicksMax ? kCapacityTicksMax : static_cast<std::uint64_t>(exact);
  burst_ = std::min(rate.burst, kCapacityTicksMax / ticks_per_unit_);
}

Take RateBucket::peek(const BucketShape& shape, TimePoint now, std::uint64_t cost) const noexcept {
  if (cost > shape.burst()) return {TakeEnd::kNever};
  const std::uint64_t at = ticks(now);
  const std::uint64_t full_at =
      std::max(full_at_.load(std::memory_order_relaxed), at) + cost * shape.ticks_per_unit();
  const std::uint64_t allowed = at + shape.capacity_ticks();
  if (full_at <= allowed) return {};
  return {TakeEnd::kWait, whole_ns(full_at - allowed)};
}

Take RateBucket::take(const BucketShape& shape, TimePoint now, std::uint64_t cost) noexcept {
  if (cost > shape.burst()) return {TakeEnd::kNever};
  const std::uint64_t at = ticks(now);
  const std::uint64_t allowed = at + shape.capacity_ticks();
  std::uint64_t word = full_at_.load(std::memory_order_relaxed);
  std::uint64_t full_at = 0;
  do {
    full_at = std::max(word, at) + cost * shape.ticks_per_unit();
    if (full_at > allowed) return {TakeEnd::kWait, whole_ns(full_at - allowed)};
  } while (!full_at_.compare_exchange_weak(word, full_at, std::memory_order_relaxed));
  return {};
}

void RateBucket::undo(const BucketShape& shape, std::uint64_t cost) noexcept {
  const std::uint64_t back = std::min(cost, shape.burst()) * shape.ticks_per_unit();
  std::uint64_t word = full_at_.load(std::memory_order_relaxed);
  while (!full_at_.compare_exchange_weak(word, word - std::min(word, back),
                                         std::memory_order_relaxed)) {
  }
}

void RateBucket::charge(const BucketShape& shape, TimePoint now, std::uint64_t cost) noexcept {
  const std::uint64_t at = ticks(now);
  const std::uint64_t more = std::min(cost, shape.burst()) * shape.ticks_per_unit();
  const std::uint64_t latest = at + 2 * shape.capacity_ticks();
  std::uint64_t word = full_at_.load(std::memory_order_relaxed);
  std::uint64_t full_at = 0;
  do {
    full_at = std::min(std::max(word, at) + more, std::max(word, latest));
  } while (!full_at_.compare_exchange_weak(word, full_at, std::memory_order_relaxed));
}

void RateBucket::reshape(const BucketShape& before, const BucketShape& after,
                         TimePoint now) noexcept {
  const std::uint64_t at = ticks(now);
  std::uint64_t word = full_at_.load(std::memory_order_relaxed);
  std::uint64_t full_at = 0;
  do {
    const std::uint64_t debt = word > at ? word - at : 0;
    const auto price = static_cast<unsigned __int128>(debt) * after.ticks_per_unit();
    const auto exact = (price + before.ticks_per_unit() - 1) / before.ticks_per_unit();
    const std::uint64_t most = 2 * after.capacity_ticks();  // as charge() may leave it
    full_at = at + (exact > most ? most : static_cast<std::uint64_t>(exact));
  } while (!full_at_.compare_exchange_weak(word, full_at, std::memory_order_relaxed));
}

void RateBucket::set_full_in(TimePoint now, Duration wait) noexcept {
  full_at_.store(ticks(now + wait), std::memory_order_relaxed);
}

BucketLevel RateBucket::level(const BucketShape& shape, TimePoint now) const noexcept {
  const std::uint64_t at = ticks(now);
  const std::uint64_t used = std::max(full_at_.load(std::memory_order_relaxed), at) - at;
  const std::uint64_t left = shape.capacity_ticks() - std::min(used, shape.capacity_ticks());
  return {
      .limit = shape.burst(), .remaining = left / shape.ticks_per_unit(), .reset = whole_ns(used)};
}

}  // namespace penstock::control
