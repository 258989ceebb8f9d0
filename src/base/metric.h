#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/label.h"
#include "base/label_tuple.h"
#include "base/metric_table.h"

// Counters and gauges of one worker's shard. The worker writes with a relaxed load and store (no
// read-modify-write: it is the only writer), the scrape reads whenever it likes.
namespace penstock {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };

[[nodiscard]] constexpr std::string_view name(MetricKind kind) noexcept {
  switch (kind) {
    case MetricKind::kCounter: return "counter";
    case MetricKind::kGauge: return "gauge";
    case MetricKind::kHistogram: return "histogram";
  }
  return "untyped";
}

// One counter. Written by its shard's worker alone.
class CounterSeries {
 public:
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// One gauge. Written by its shard's worker alone; the shards' values are summed when shown.
class GaugeSeries {
 public:
  void add(std::int64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::int64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Holds a gauge up by one for as long as it lives. Begins and ends on the gauge's worker.
class GaugeGuard {
 public:
  GaugeGuard() = default;
  explicit GaugeGuard(GaugeSeries& gauge) noexcept : gauge_(&gauge) { gauge.add(1); }
  GaugeGuard(GaugeGuard&& other) noexcept : gauge_(std::exchange(other.gauge_, nullptr)) {}
  GaugeGuard& operator=(GaugeGuard&& other) noexcept {
    GaugeGuard taken(std::move(other));
    std::swap(gauge_, taken.gauge_);
    return *this;
  }
  ~GaugeGuard() { release(); }
  void release() noexcept {
    if (gauge_ != nullptr) std::exchange(gauge_, nullptr)->add(-1);
  }

 private:
  GaugeSeries* gauge_ = nullptr;
};

// A family of series of one kind, told apart by labels. `at()` is for the shard's worker; `each()`
// is for any thread. A reference from `at()` may be kept for the life of the family.
template <class SeriesType, MetricKind Kind, class... Labels>
class ScalarFamily {
 public:
  using Series = SeriesType;
  static constexpr MetricKind kKind = Kind;
  static constexpr std::size_t kLabelCount = sizeof...(Labels);

  explicit ScalarFamily(std::size_t series_max = kSeriesMaxDefault) : table_(series_max) {}

  // cost: about 5 ns once the series exists; creates it (allocates) the first time.
  [[nodiscard]] Series& at(Labels... labels) { return table_.find_or_add(pack_labels(labels...)); }

  // Makes the series visible at 0.
  void announce(Labels... labels) { static_cast<void>(at(labels...)); }

  template <class Visit>
  void each(Visit&& visit) const {
    table_.each(visit);
  }
  [[nodiscard]] static LabelTexts texts(LabelTuple tuple, const LabelNames& names) noexcept {
    return label_texts<Labels...>(tuple, names);
  }

 private:
  SeriesTable<Series, Labels...> table_;
};

template <class... Labels>
using Counter = ScalarFamily<CounterSeries, MetricKind::kCounter, Labels...>;
template <class... Labels>
using Gauge = ScalarFamily<GaugeSeries, MetricKind::kGauge, Labels...>;

}  // namespace penstock
