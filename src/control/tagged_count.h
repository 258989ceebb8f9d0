#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace penstock::control {

// A count that belongs to a tag, in one atomic word: under another tag it reads as zero. Whoever
// moves to a new tag clears it for all without a second write.
class TaggedCount {
 public:
  static constexpr std::uint64_t kTagBits = 40;
  static constexpr std::uint64_t kCountMax = (std::uint64_t{1} << (64 - kTagBits)) - 1;

  // Returns the count under `tag` after the addition; it stops at kCountMax.
  std::uint64_t add(std::uint64_t tag) noexcept {
    std::uint64_t word = word_.load();
    std::uint64_t count = 0;
    do {
      count = std::min(under(word, tag) + 1, kCountMax);
    } while (!word_.compare_exchange_weak(word, packed(tag, count)));
    return count;
  }
  // Takes back one add() under `tag`; nothing when the tag has moved on.
  void take_back(std::uint64_t tag) noexcept {
    std::uint64_t word = word_.load();
    std::uint64_t count = 0;
    do {
      count = under(word, tag);
      if (count == 0) return;
    } while (!word_.compare_exchange_weak(word, packed(tag, count - 1)));
  }
  // Writes only where there is something to clear.
  void clear(std::uint64_t tag) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (under(word, tag) != 0 && !word_.compare_exchange_weak(word, packed(tag, 0))) {
    }
  }
  [[nodiscard]] std::uint64_t read(std::uint64_t tag) const noexcept {
    return under(word_.load(), tag);
  }

 private:
  static constexpr std::uint64_t kTagMask = (std::uint64_t{1} << kTagBits) - 1;
  static std::uint64_t packed(std::uint64_t tag, std::uint64_t count) noexcept {
    return count << kTagBits | (tag & kTagMask);
  }
  static std::uint64_t under(std::uint64_t word, std::uint64_t tag) noexcept {
    return (word & kTagMask) == (tag & kTagMask) ? word >> kTagBits : 0;
  }
  std::atomic<std::uint64_t> word_ = 0;
};

// Counts over a sliding window, as a ring of `Slices` slices of equal length. The caller numbers
// the slices by time; `era` separates what must not mix, such as a breaker's generations (its low
// byte counts). Shared by all workers.
template <std::size_t Slices>
class SliceRing {
 public:
  void add(std::uint8_t era, std::uint32_t slice) noexcept {
    slices_[slice % Slices].add(tag(era, slice));
  }
  void take_back(std::uint8_t era, std::uint32_t slice) noexcept {
    slices_[slice % Slices].take_back(tag(era, slice));
  }
  // The sum of slice `slice` and the `before` slices ahead of it.
  [[nodiscard]] std::uint64_t sum(std::uint8_t era, std::uint32_t slice,
                                  std::uint32_t before) const noexcept {
    std::uint64_t total = 0;
    for (std::uint32_t back = 0; back <= before && back <= slice; ++back)
      total += slices_[(slice - back) % Slices].read(tag(era, slice - back));
    return total;
  }

 private:
  static std::uint64_t tag(std::uint8_t era, std::uint32_t slice) noexcept {
    return std::uint64_t{era} << 32 | slice;
  }
  std::array<TaggedCount, Slices> slices_;
};

}  // namespace penstock::control
