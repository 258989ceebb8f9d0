#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/field.h"
#include "base/rng.h"
#include "base/units.h"

namespace penstock::control {

// Why a replica may not be picked is the caller's knowledge (health, breaker, drain, ceilings).
enum class Eligible : std::uint8_t { kNo, kYes };

// What a balancer may know of one replica, as of now.
struct TargetState {
  Eligible eligible = Eligible::kYes;
  std::uint32_t weight = 1;           // 0: never
  std::uint32_t in_flight = 0;        // our own, exact
  Ratio participation{1'000'000};     // below 1 while in slow start, see slow_start.h
  std::optional<Duration> cost = {};  // see peak_ewma.h; nullopt: no history
};

// The replicas of one provider, by index. At most kTargetsMax.
using TargetView = std::span<const TargetState>;
using TargetIndex = std::size_t;
inline constexpr std::size_t kTargetsMax = 256;

// The replicas of one target that this request has tried already.
class TriedSet {
 public:
  void add(TargetIndex index) noexcept {
    if (index < kTargetsMax) words_[index / 64] |= std::uint64_t{1} << index % 64;
  }
  [[nodiscard]] bool has(TargetIndex index) const noexcept {
    return index < kTargetsMax && (words_[index / 64] >> index % 64 & 1) != 0;
  }
  void clear() noexcept { words_.fill(0); }

 private:
  std::array<std::uint64_t, kTargetsMax / 64> words_{};
};

// Chooses among eligible replicas that were not tried. Owned by one worker; never waits, allocates
// only when the number of replicas grows. Charging the chosen one is the caller's next step.
class Balancer {
 public:
  Balancer() = default;
  Balancer(const Balancer&) = delete;
  Balancer& operator=(const Balancer&) = delete;
  virtual ~Balancer() = default;
  // nullopt when nothing is left to pick.
  [[nodiscard]] virtual std::optional<TargetIndex> pick(TargetView targets, const TriedSet& tried,
                                                        Rng& rng) = 0;
};

// Whether a pick could choose this one at all, slow start aside.
[[nodiscard]] inline bool can_be_picked(const TargetState& target, TargetIndex index,
                                        const TriedSet& tried) noexcept {
  return target.eligible == Eligible::kYes && target.weight > 0 && !tried.has(index);
}

}  // namespace penstock::control
