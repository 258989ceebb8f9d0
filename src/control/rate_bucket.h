#pragma once

#include <atomic>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {

// A configured rate: `units` (requests, tokens) per `per`, of which `burst` may come at once.
struct Rate {
  std::uint64_t units = 1;  // at least 1
  Duration per = 1s;
  std::uint64_t burst = 1;  // at least 1: the capacity
};

// A rate made ready for the request path. One unit costs a whole number of ticks of 1/64 ns, so the
// bucket's arithmetic is exact in itself and the rate is at most one part in 64 × (per ÷ units in
// ns) below the configured one.
class BucketShape {
 public:
  // A burst that would take more than a year to refill is lowered to that.
  explicit BucketShape(const Rate& rate) noexcept;

  [[nodiscard]] std::uint64_t burst() const noexcept { return burst_; }
  [[nodiscard]] std::uint64_t ticks_per_unit() const noexcept { return ticks_per_unit_; }
  [[nodiscard]] std::uint64_t capacity_ticks() const noexcept { return burst_ * ticks_per_unit_; }

 private:
  std::uint64_t ticks_per_unit_;
  std::uint64_t burst_;
};

enum class TakeEnd : std::uint8_t {
  kTaken,
  kWait,   // not now
  kNever,  // costs more than the bucket holds when full: a 400, not a 429 that cannot come true
};
struct Take {
  TakeEnd end = TakeEnd::kTaken;
  Duration wait = 0s;  // kWait: exactly until the same call would be taken, others being absent
};

// What the x-ratelimit-* headers tell.
struct BucketLevel {
  std::uint64_t limit = 0;
  std::uint64_t remaining = 0;  // whole units
  Duration reset = 0s;          // until full
};

// A token bucket as a generic cell rate algorithm: its one word is the time at which it would be
// full again. Starts full. Shared by all workers; never waits. `now` is not before the clock's
// epoch. The shape comes with each call, so that a live change keeps the state.
// source: ITU-T I.371, the generic cell rate algorithm (virtual scheduling).
class RateBucket {
 public:
  [[nodiscard]] Take take(const BucketShape& shape, TimePoint now, std::uint64_t cost) noexcept;
  // As take(), without taking.
  [[nodiscard]] Take peek(const BucketShape& shape, TimePoint now,
                          std::uint64_t cost) const noexcept;
  // Gives back `cost` units that were taken.
  void undo(const BucketShape& shape, std::uint64_t cost) noexcept;
  // Takes whatever it costs: for a hold that turned out too small. The bucket may then be in debt,
  // by at most another capacity.
  void charge(const BucketShape& shape, TimePoint now, std::uint64_t cost) noexcept;
  // The rate changes from `before` to `after`: what was used stays used, in units. Calls that are
  // decided meanwhile by the shape before count at its price.
  void reshape(const BucketShape& before, const BucketShape& after, TimePoint now) noexcept;
  // Takes over what another keeper of the same bucket says: full in so long.
  void set_full_in(TimePoint now, Duration wait) noexcept;
  [[nodiscard]] BucketLevel level(const BucketShape& shape, TimePoint now) const noexcept;

 private:
  std::atomic<std::uint64_t> full_at_ = 0;  // in ticks since the clock's epoch; past: full
};

}  // namespace penstock::control
