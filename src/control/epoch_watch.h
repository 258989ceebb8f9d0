#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/units.h"

namespace penstock::control {

// What a store that may lose its data bears to be known again by: a random number from its first
// use, and a count of what was done since. Another number, none, or a lower count: data were lost.
struct Epoch {
  std::uint64_t id = 0;  // 0: none
  std::uint64_t sequence = 0;
};

// What this process last saw of one tenant's epoch. Shared by all workers; locked for a few
// instructions, once for each answer of the store.
class EpochWatch {
 public:
  // Shorter than the store keeps an unused epoch, so that one that expired there is not missed.
  static constexpr Duration kMemory = 12h;

  [[nodiscard]] Epoch seen(TimePoint now) const;
  // The store answered.
  void note(const Epoch& epoch, TimePoint now);
  // Moves with every change of an id that was known: what was granted before is void.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return generation_.load(std::memory_order_acquire);
  }

 private:
  mutable std::mutex mutex_;
  Epoch epoch_;
  TimePoint noted_{};
  std::atomic<std::uint32_t> generation_ = 1;
};

}  // namespace penstock::control
