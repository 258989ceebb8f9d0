#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace penstock::lab {

// Durations in buckets that grow with them: each is at most 1/128 of its value wide, whatever the
// value. 40 KiB; what is above 4.8 hours counts as that. One thread.
class LatencyHistogram {
 public:
  // A negative duration counts as zero.
  void add(Duration took) noexcept;
  void add(const LatencyHistogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Duration max() const noexcept { return max_; }
  // The smallest value that at least this share of all are not above: the upper end of its bucket,
  // never above max(). Zero when there is none. per_mille: 0 to 1000.
  [[nodiscard]] Duration percentile(std::uint32_t per_mille) const noexcept;

 private:
  static constexpr unsigned kSubBits = 7;
  static constexpr unsigned kValueBits = 44;  // of nanoseconds
  static constexpr std::size_t kBuckets = (kValueBits - kSubBits + 1) << kSubBits;
  [[nodiscard]] static std::size_t bucket_of(std::uint64_t value) noexcept;
  [[nodiscard]] static std::uint64_t upper_end(std::size_t bucket) noexcept;

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  Duration max_{};
};

}  // namespace penstock::lab
