#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/units.h"
#include "control/rate_bucket.h"

namespace penstock::control {

// Units that were taken from shared buckets in advance, all at once, and are given out here without
// asking again. Shared by all workers; never waits. What is not used within kLife is forgotten: it
// was debited, so that forgetting errs towards refusing.
class Slice {
 public:
  static constexpr Duration kLife = 1s;  // docs/reference/quotas.md

  // Takes from what is there and alive, and says when that was filled; nullopt takes nothing.
  [[nodiscard]] std::optional<TimePoint> take(TimePoint now, std::uint64_t units) noexcept;
  // Empties it. What it held, to be given back to the buckets; nothing of what has been dead for
  // another kLife: they may have been full in between.
  struct Leftover {
    std::uint64_t units = 0;
    TimePoint filled;
  };
  [[nodiscard]] Leftover drain(TimePoint now) noexcept;
  // Adds units, all of which then live for kLife.
  void fill(TimePoint now, std::uint64_t units) noexcept;
  [[nodiscard]] std::uint64_t left(TimePoint now) const noexcept;

  // Of those who find it empty at the same time one fetches the next; it then calls end_refill().
  [[nodiscard]] bool begin_refill() noexcept {
    return !refilling_.exchange(true, std::memory_order_relaxed);
  }
  void end_refill() noexcept { refilling_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> word_ = 0;  // low: units; high: its end, in ms modulo 2^32
  std::atomic<bool> refilling_ = false;
};

// What decides how much is worth taking in advance.
struct SliceNeed {
  Rate tightest = {};            // of the caller's buckets, by refill
  std::uint64_t smallest = 1;    // capacity of the caller's buckets
  std::uint64_t mean = 1;        // units of one request
  std::uint64_t per_second = 0;  // requests that came here in the last second
};

// The most that may be in hand under one limit: max(100 ms of its refill, 10 requests of `mean`
// units), at most 5 % of its capacity.
[[nodiscard]] std::uint64_t in_hand_max(const Rate& rate, std::uint64_t mean) noexcept;

// How many units to take beyond those of the request at hand: max(100 ms of the tightest refill, 10
// requests), at most 5 % of the smallest capacity, and no more than came here within a second; 0
// where the tightest refill is below 100/s or not one more request would fit.
[[nodiscard]] std::uint64_t slice_units(const SliceNeed& need) noexcept;

}  // namespace penstock::control
