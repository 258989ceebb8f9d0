#include "telemetry/exposition.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/histogram.h"
#include "base/metric.h"
#include "base/metric_source.h"

namespace penstock::telemetry {
namespace {

enum class Place : std::uint8_t { kHelp, kLabelValue };  // only the latter escapes quotes

void append_text(std::string& out, std::string_view text, Place place) {
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"' && place == Place::kLabelValue)
      out += "\\\"";
    else
      out += c;
  }
}

void append_number(std::string& out, double value) {
  constexpr double kExact = 9007199254740992;  // 2^53: whole numbers below it are exact
  if (std::isnan(value))
    out += "NaN";
  else if (std::isinf(value))
    out += value > 0 ? "+Inf" : "-Inf";
  else if (value == std::trunc(value) && std::abs(value) < kExact)
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>(value));
  else
    fmt::format_to(std::back_inserter(out), "{}", value);
}

// Nanoseconds as seconds, exactly and without an exponent.
std::string seconds(std::uint64_t ns) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::string text = fmt::format("{}.{:09}", ns / kSecond, ns % kSecond);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Gathers a block of lines for each family, since sources may share one.
class TextRenderer final : public MetricSink {
 public:
  void family(const MetricFamily& family) override {
    name_ = family.name;
    label_names_.assign(family.labels.begin(), family.labels.end());
    block_ = &blocks_[name_];
    if (!block_->empty()) return;
    *block_ += fmt::format("# HELP {} ", name_);
    append_text(*block_, family.help, Place::kHelp);
    *block_ += fmt::format("\n# TYPE {} {}\n", name_, name(family.kind));
  }

  void sample(std::span<const std::string_view> labels, double value) override {
    begin("", labels, "");
    append_number(*block_, value);
    *block_ += '\n';
  }

  void sample(std::span<const std::string_view> labels, const HistogramReading& reading) override {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i <= reading.bounds.size(); ++i) {
      count += reading.buckets[i];
      const bool last = i == reading.bounds.size();
      begin("_bucket", labels,
            last ? "+Inf" : seconds(static_cast<std::uint64_t>(reading.bounds[i].count())));
      *block_ += fmt::format("{}\n", count);
    }
    begin("_sum", labels, "");
    *block_ += fmt::format("{}\n", seconds(reading.sum_ns));
    begin("_count", labels, "");
    *block_ += fmt::format("{}\n", count);
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [name, block] : blocks_) out += block;
    return out;
  }

 private:
  // Everything of a line up to its value. le: the bucket's bound, or empty.
  void begin(std::string_view suffix, std::span<const std::string_view> labels,
             std::string_view le) {
    std::string& out = *block_;
    out += name_;
    out += suffix;
    char before = '{';
    const auto label = [&](std::string_view name, std::string_view value) {
      out += before;
      before = ',';
      out += name;
      out += "=\"";
      append_text(out, value, Place::kLabelValue);
      out += '"';
    };
    for (std::size_t i = 0; i < labels.size(); ++i) label(label_names_[i], labels[i]);
    if (!le.empty()) label("le", le);
    out += before == '{' ? " " : "} ";
  }

  std::map<std::string, std::string> blocks_;
  std::string* block_ = nullptr;
  std::string name_;
  std::vector<std::string> label_names_;
};

}  // namespace

std::string render_exposition(std::span<const MetricSource* const> sources) {
  TextRenderer renderer;
  for (const MetricSource* source : sources) source->collect(renderer);
  return renderer.text();
}

}  // namespace penstock::telemetry
