#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/units.h"
#include "control/balancer.h"

namespace penstock::control {

// What calls to one replica cost in time: rises at once to a higher observation, falls towards
// lower ones with τ = 10 s, and decays to nothing while there are none. One atomic word, shared by
// all workers. Streams (time to first content) and unary calls (total) have one each.
// source: Finagle, the peak exponentially weighted moving average.
class PeakEwma {
 public:
  // Whatever was measured, after per_size().
  void observe(Duration cost, TimePoint now) noexcept;
  // A fault: max(2 × cost, 1 s), or a replica that fails fast would look like a fast one.
  void observe_fault(TimePoint now) noexcept;
  // nullopt without history.
  [[nodiscard]] std::optional<Duration> cost(TimePoint now) const noexcept;

 private:
  std::atomic<std::uint64_t> word_ = 0;  // cost in µs (32 bits; 0: none), time in ms (32 bits)
};

// What costs are divided by, so that requests of different sizes compare: max(1, bytes ÷ 4 KiB).
[[nodiscard]] double size_factor(Bytes request) noexcept;
[[nodiscard]] Duration per_size(Duration cost, Bytes request) noexcept;

// Feeds the age of an attempt without content: at twice the replica's cost and at each doubling.
class AgeFeed {
 public:
  // cost: the replica's when the attempt began; 1 s stands in for no history.
  explicit AgeFeed(std::optional<Duration> cost) noexcept;
  // The age, after per_size(), at which observe() is due.
  [[nodiscard]] Duration due() const noexcept { return due_; }
  // True when this age is to be observed; moves on to the next doubling beyond it.
  [[nodiscard]] bool reached(Duration age) noexcept;

 private:
  Duration due_;
};

// Draws two different participants; lower cost × (in flight + 1) wins, a tie goes by weight at
// random. One without history counts as the median of the others, one call at a time.
class PeakEwmaBalancer final : public Balancer {
 public:
  [[nodiscard]] std::optional<ReplicaIndex> pick(Candidates candidates, const TriedSet& tried,
                                                 Rng& rng) override;
};

[[nodiscard]] std::unique_ptr<Balancer> make_peak_ewma();

}  // namespace penstock::control
