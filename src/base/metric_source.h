#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/histogram.h"
#include "base/metric.h"

namespace penstock {

// What is the same for all series of a family. Views are valid during the call that passes them.
struct MetricFamily {
  std::string_view name;
  MetricKind kind = MetricKind::kCounter;
  std::span<const std::string_view> labels;  // the names
  std::string_view help;
};

// Takes families and their samples. `sample` belongs to the family announced last.
class MetricSink {
 public:
  virtual ~MetricSink() = default;
  virtual void family(const MetricFamily& family) = 0;
  // labels: the values, in the order of the family's names.
  virtual void sample(std::span<const std::string_view> labels, double value) = 0;
  virtual void sample(std::span<const std::string_view> labels,
                      const HistogramReading& reading) = 0;
};

// Something that can be scraped. telemetry/ renders sources without knowing the rooms behind them.
class MetricSource {
 public:
  virtual ~MetricSource() = default;
  // Announces each family (also those without series yet) with its samples, in a fixed order.
  // Called by the scrape's thread while workers write.
  virtual void collect(MetricSink& sink) const = 0;
};

// Gauges and counters of values that live elsewhere, such as a process-wide atomic: read when
// asked.
class CallbackSource final : public MetricSource {
 public:
  // Called on the scrape's thread; nullopt: there is no such series just now.
  using Read = std::function<std::optional<double>()>;
  struct Sample {
    std::vector<std::string> labels{};
    Read read{};
  };
  struct Row {
    std::string name{};
    MetricKind kind = MetricKind::kGauge;
    std::vector<std::string> labels{};
    std::string help{};
    std::vector<Sample> samples{};
  };
  // Before the first scrape only. A sample's labels are as many as its row's.
  void add(Row row);
  void collect(MetricSink& sink) const override;

 private:
  std::vector<Row> rows_;
};

}  // namespace penstock
