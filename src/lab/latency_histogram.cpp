#include "lab/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace penstock::lab {

// Values below 2^kSubBits have a bucket each. Above, a bucket is told by the place of the highest
// bit and the kSubBits bits behind it.
std::size_t LatencyHistogram::bucket_of(std::uint64_t value) noexcept {
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  if (bits <= kSubBits) return static_cast<std::size_t>(value);
  const unsigned shift = bits - kSubBits - 1;
  return ((std::size_t{shift} + 1) << kSubBits) + ((value >> shift) & ((1U << kSubBits) - 1));
}

std::uint64_t LatencyHistogram::upper_end(std::size_t bucket) noexcept {
  if (bucket < std::size_t{1} << kSubBits) return bucket;
  const auto shift = static_cast<unsigned>(bucket >> kSubBits) - 1;
  const std::uint64_t within = bucket & ((1U << kSubBits) - 1);
  return (((std::uint64_t{1} << kSubBits) + within + 1) << shift) - 1;
}

void LatencyHistogram::add(Duration took) noexcept {
  constexpr auto kMax = static_cast<Duration::rep>((std::uint64_t{1} << kValueBits) - 1);
  const Duration::rep value = std::clamp<Duration::rep>(took.count(), 0, kMax);
  ++buckets_[bucket_of(static_cast<std::uint64_t>(value))];
  ++count_;
  max_ = std::max(max_, Duration(value));
}

void LatencyHistogram::add(const LatencyHistogram& other) noexcept {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

Duration LatencyHistogram::percentile(std::uint32_t per_mille) const noexcept {
  const std::uint64_t wanted = std::max<std::uint64_t>((count_ * per_mille + 999) / 1000, 1);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(max_, Duration(static_cast<Duration::rep>(upper_end(i))));
  }
  return max_;
}

}  // namespace penstock::lab
