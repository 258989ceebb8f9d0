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
struct Candidate {
  Eligible eligible = Eligible::kYes;
  std::uint32_t weight = 1;           // 0: never
  std::uint32_t in_flight = 0;        // our own, exact
  Ratio participation{1'000'000};     // below 1 while in slow start, see slow_start.h
  std::optional<Duration> cost = {};  // see peak_ewma.h; nullopt: no history
};

// The replicas of one provider, by index. At most kReplicasMax.
using Candidates = std::span<const Candidate>;
using ReplicaIndex = std::size_t;
inline constexpr std::size_t kReplicasMax = 256;

// The replicas of one target that this request has tried already.
class TriedSet {
 public:
  void add(ReplicaIndex index) noexcept {
    if (index < kReplicasMax) words_[index / 64] |= std::uint64_t{1} << index % 64;
  }
  [[nodiscard]] bool has(ReplicaIndex index) const noexcept {
    return index < kReplicasMax && (words_[index / 64] >> index % 64 & 1) != 0;
  }
  void clear() noexcept { words_.fill(0); }

 private:
  std::array<std::uint64_t, kReplicasMax / 64> words_{};
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
  [[nodiscard]] virtual std::optional<ReplicaIndex> pick(Candidates candidates,
                                                         const TriedSet& tried, Rng& rng) = 0;
};

// Whether a pick could choose this one at all, slow start aside.
[[nodiscard]] inline bool can_be_picked(const Candidate& candidate, ReplicaIndex index,
                                        const TriedSet& tried) noexcept {
  return candidate.eligible == Eligible::kYes && candidate.weight > 0 && !tried.has(index);
}

}  // namespace penstock::control
