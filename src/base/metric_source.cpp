#include "base/metric_source.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/label_tuple.h"
#include "base/metric.h"

namespace penstock {

void CallbackSource::add(Row row) {
  PENSTOCK_ASSERT(row.kind != MetricKind::kHistogram);
  PENSTOCK_ASSERT(row.labels.size() <= kMetricLabelsMax);
  for (const Sample& sample : row.samples)
    PENSTOCK_ASSERT(sample.labels.size() == row.labels.size());
  rows_.push_back(std::move(row));
}

void CallbackSource::collect(MetricSink& sink) const {
  const auto views = [](const std::vector<std::string>& texts) {
    return std::vector<std::string_view>(texts.begin(), texts.end());
  };
  for (const Row& row : rows_) {
    const auto names = views(row.labels);
    sink.family({row.name, row.kind, names, row.help});
    for (const Sample& sample : row.samples)
      if (const std::optional<double> value = sample.read())
        sink.sample(views(sample.labels), *value);
  }
}

}  // namespace penstock
