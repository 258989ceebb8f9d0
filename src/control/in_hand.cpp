#include "control/in_hand.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/units.h"
#include "control/slice.h"

namespace penstock::control {
namespace {

constexpr std::uint64_t kUnitsMax = std::numeric_limits<std::uint32_t>::max();
static_assert(Slice::kLife == 1s, "a slice lives in the second of its filling and the next one");

std::uint32_t second_of(TimePoint at) noexcept {
  return static_cast<std::uint32_t>(at.time_since_epoch() / 1s);
}

// What a word counts for a second: nothing, where it is of another one.
std::uint64_t units_in(std::uint64_t word, std::uint32_t second) noexcept {
  return word >> 32 == second ? word & kUnitsMax : 0;
}

std::uint64_t word_of(std::uint32_t second, std::uint64_t units) noexcept {
  return std::uint64_t{second} << 32 | std::min(units, kUnitsMax);
}

}  // namespace

std::uint64_t InHand::units(TimePoint now) const noexcept {
  const std::uint32_t second = second_of(now);
  return units_in(words_[second % kSeconds].load(std::memory_order_relaxed), second) +
         units_in(words_[(second - 1) % kSeconds].load(std::memory_order_relaxed), second - 1);
}

std::uint64_t InHand::add(TimePoint at, std::uint64_t units, std::uint64_t most) noexcept {
  const std::uint32_t second = second_of(at);
  std::atomic<std::uint64_t>& word = words_[second % kSeconds];
  std::uint64_t before = word.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t here = units_in(before, second);
    const std::uint64_t last =
        units_in(words_[(second - 1) % kSeconds].load(std::memory_order_relaxed), second - 1);
    const std::uint64_t added = std::min(units, most - std::min(most, here + last));
    if (added == 0) return 0;
    const std::uint64_t next = word_of(second, here + added);
    if (word.compare_exchange_weak(before, next, std::memory_order_relaxed)) return added;
  }
}

void InHand::take_off(TimePoint at, std::uint64_t units) noexcept {
  const std::uint32_t second = second_of(at);
  std::atomic<std::uint64_t>& word = words_[second % kSeconds];
  std::uint64_t before = word.load(std::memory_order_relaxed);
  while (units_in(before, second) != 0) {
    const std::uint64_t here = units_in(before, second);
    const std::uint64_t next = word_of(second, here - std::min(here, units));
    if (word.compare_exchange_weak(before, next, std::memory_order_relaxed)) return;
  }
}

}  // namespace penstock::control
