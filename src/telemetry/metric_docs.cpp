#include "telemetry/metric_docs.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/histogram.h"
#include "base/metric.h"
#include "base/metric_source.h"

namespace penstock::telemetry {
namespace {

class RowWriter final : public MetricSink {
 public:
  void family(const MetricFamily& family) override {
    std::string labels;
    for (const std::string_view label : family.labels)
      labels += fmt::format("{}`{}`", labels.empty() ? "" : ", ", label);
    rows_[std::string(family.name)] = fmt::format("| `{}` | {} | {} | {} |\n", family.name,
                                                  name(family.kind), labels, family.help);
  }
  void sample(std::span<const std::string_view>, double) override {}
  void sample(std::span<const std::string_view>, const HistogramReading&) override {}

  [[nodiscard]] std::string text() const {
    std::string out =
        "# Metrics\n\n"
        "Prometheus text on the admin port, `/metrics`. Generated from the rows in the code; do "
        "not "
        "edit.\n\n"
        "Names in labels come from the configuration; anything else reads `other`. A request "
        "without an error has `code=\"none\"`. Seconds, bytes and tokens are plain numbers.\n\n"
        "| metric | type | labels | meaning |\n|---|---|---|---|\n";
    for (const auto& [name, row] : rows_) out += row;
    return out;
  }

 private:
  std::map<std::string, std::string> rows_;
};

}  // namespace

std::string render_metric_docs(std::span<const MetricSource* const> sources) {
  RowWriter writer;
  for (const MetricSource* source : sources) source->collect(writer);
  return writer.text();
}

}  // namespace penstock::telemetry
