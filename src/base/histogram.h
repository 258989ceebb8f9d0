#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/assert.h"
#include "base/label.h"
#include "base/label_tuple.h"
#include "base/metric.h"
#include "base/metric_table.h"
#include "base/units.h"

namespace penstock {

inline constexpr std::size_t kHistogramBoundsMax = 24;

// Upper bounds of a histogram's buckets, inclusive and rising; +Inf is implied. Static storage.
using HistogramBounds = std::span<const Duration>;

// The counts of a histogram at one moment, possibly summed over shards.
struct HistogramReading {
  HistogramBounds bounds;
  std::array<std::uint64_t, kHistogramBoundsMax + 1> buckets{};  // not cumulative; last is +Inf
  std::uint64_t sum_ns = 0;
};

// One histogram of durations. Written by its shard's worker alone, read by any thread. The count
// is the sum of the buckets, so that what is shown always agrees with itself.
class HistogramSeries {
 public:
  explicit HistogramSeries(HistogramBounds bounds) : bounds_(bounds) {
    PENSTOCK_ASSERT(bounds.size() <= kHistogramBoundsMax);
    PENSTOCK_ASSERT(std::ranges::is_sorted(bounds));
  }

  // A negative duration counts as zero. cost: about 10 ns.
  void observe(Duration took) noexcept {
    took = std::max(took, Duration::zero());
    const auto bucket = std::ranges::lower_bound(bounds_, took) - bounds_.begin();
    bump(buckets_[static_cast<std::size_t>(bucket)], 1);
    bump(sum_ns_, static_cast<std::uint64_t>(took.count()));
  }

  // Adds what was observed so far to a reading with the same bounds.
  void add_to(HistogramReading& reading) const noexcept {
    reading.bounds = bounds_;
    for (std::size_t i = 0; i <= bounds_.size(); ++i)
      reading.buckets[i] += buckets_[i].load(std::memory_order_relaxed);
    reading.sum_ns += sum_ns_.load(std::memory_order_relaxed);
  }

 private:
  static void bump(std::atomic<std::uint64_t>& word, std::uint64_t n) noexcept {
    word.store(word.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  HistogramBounds bounds_;
  std::array<std::atomic<std::uint64_t>, kHistogramBoundsMax + 1> buckets_{};
  std::atomic<std::uint64_t> sum_ns_{0};
};

// A family of histograms with the same bounds; the same rules as ScalarFamily.
template <class... Labels>
class Histogram {
 public:
  using Series = HistogramSeries;
  static constexpr MetricKind kKind = MetricKind::kHistogram;
  static constexpr std::size_t kLabelCount = sizeof...(Labels);

  explicit Histogram(HistogramBounds bounds, std::size_t series_max = kSeriesMaxDefault)
      : bounds_(bounds), table_(series_max) {}

  [[nodiscard]] Series& at(Labels... labels) {
    return table_.find_or_add(pack_labels(labels...), bounds_);
  }
  void announce(Labels... labels) { static_cast<void>(at(labels...)); }

  template <class Visit>
  void each(Visit&& visit) const {
    table_.each(visit);
  }
  [[nodiscard]] static LabelTexts texts(LabelTuple tuple, const LabelNames& names) noexcept {
    return label_texts<Labels...>(tuple, names);
  }

 private:
  HistogramBounds bounds_;
  SeriesTable<Series, Labels...> table_;
};

}  // namespace penstock
