#pragma once

#include <map>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "base/histogram.h"
#include "base/label.h"
#include "base/label_tuple.h"
#include "base/metric.h"
#include "base/metric_row.h"
#include "base/metric_source.h"

namespace penstock {

// The metric structs of all workers as one source: the same series are summed over the shards.
// T has `constexpr auto metrics(Describe<T>)`, a tuple of rows. Shards and names outlive this.
template <class T>
class ShardedSource final : public MetricSource {
 public:
  ShardedSource(std::vector<const T*> shards, const LabelNames& names)
      : shards_(std::move(shards)), names_(names) {}

  void collect(MetricSink& sink) const override {
    std::apply([&](const auto&... rows) { (collect_row(rows, sink), ...); },
               metrics(Describe<T>{}));
  }

 private:
  template <class Family>
  using Reading =
      std::conditional_t<Family::kKind == MetricKind::kHistogram, HistogramReading, double>;

  template <class Family>
  static void add(Reading<Family>& sum, const typename Family::Series& series) {
    if constexpr (Family::kKind == MetricKind::kHistogram)
      series.add_to(sum);
    else
      sum += static_cast<double>(series.read());
  }

  template <class Family>
  void collect_row(const MetricRow<T, Family>& row, MetricSink& sink) const {
    sink.family({row.name, Family::kKind, row.labels.names, row.help});
    // Keyed by text: several labels may read the same, and the order is the same at each scrape.
    std::map<LabelTexts, Reading<Family>> sums;
    for (const T* shard : shards_)
      (shard->*row.member).each([&](LabelTuple tuple, const typename Family::Series& series) {
        add<Family>(sums[Family::texts(tuple, names_)], series);
      });
    for (const auto& [texts, reading] : sums)
      sink.sample(std::span(texts).first(Family::kLabelCount), reading);
  }

  std::vector<const T*> shards_;
  const LabelNames& names_;
};

}  // namespace penstock
