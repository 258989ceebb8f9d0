#include "telemetry/exposition.h"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/histogram.h"
#include "base/metric.h"
#include "base/metric_source.h"
#include "base/units.h"

namespace penstock::telemetry {
namespace {

// A source that is a function.
template <class Collect>
class Scripted final : public MetricSource {
 public:
  explicit Scripted(Collect collect) : collect_(collect) {}
  void collect(MetricSink& sink) const override { collect_(sink); }

 private:
  Collect collect_;
};

std::string rendered(const MetricSource& source) {
  const std::array<const MetricSource*, 1> sources{&source};
  return render_exposition(sources);
}

// The whole shape at once: header, order by name, labels, numbers.
TEST(Exposition, WritesFamiliesSortedByName) {
  const Scripted source([](MetricSink& sink) {
    static constexpr std::string_view kLabels[] = {"scope", "kind"};
    sink.family({"b_total", MetricKind::kCounter, {}, "Of b."});
    sink.sample({}, 12.0);
    sink.family({"a", MetricKind::kGauge, kLabels, "Of a."});
    const std::string_view values[] = {"process", "x"};
    sink.sample(values, 0.25);
  });
  EXPECT_EQ(rendered(source),
            "# HELP a Of a.\n# TYPE a gauge\na{scope=\"process\",kind=\"x\"} 0.25\n"
            "# HELP b_total Of b.\n# TYPE b_total counter\nb_total 12\n");
}

// A configured name may hold anything; it must not end its value, its line or the page.
TEST(Exposition, EscapesLabelValuesAndHelp) {
  const Scripted source([](MetricSink& sink) {
    static constexpr std::string_view kLabels[] = {"name"};
    sink.family({"a", MetricKind::kGauge, kLabels, "One\nline \\ \"quoted\"."});
    const std::string_view values[] = {"q\" b\\ n\n} 1"};
    sink.sample(values, 1);
  });
  EXPECT_EQ(rendered(source),
            "# HELP a One\\nline \\\\ \"quoted\".\n# TYPE a gauge\n"
            "a{name=\"q\\\" b\\\\ n\\n} 1\"} 1\n");
}

// Buckets are cumulative, +Inf equals the count, and bounds are exact seconds.
TEST(Exposition, WritesHistogramsCumulatively) {
  static constexpr std::array<Duration, 3> kBounds{10us, 2500us, 10s};
  const Scripted source([](MetricSink& sink) {
    static constexpr std::string_view kLabels[] = {"model"};
    sink.family({"took_seconds", MetricKind::kHistogram, kLabels, "Took."});
    HistogramReading reading{.bounds = kBounds};
    reading.buckets[0] = 1;
    reading.buckets[1] = 2;
    reading.buckets[3] = 4;
    reading.sum_ns = 40'000'000'001;
    const std::string_view values[] = {"m"};
    sink.sample(values, reading);
  });
  EXPECT_EQ(rendered(source),
            "# HELP took_seconds Took.\n# TYPE took_seconds histogram\n"
            "took_seconds_bucket{model=\"m\",le=\"0.00001\"} 1\n"
            "took_seconds_bucket{model=\"m\",le=\"0.0025\"} 3\n"
            "took_seconds_bucket{model=\"m\",le=\"10\"} 3\n"
            "took_seconds_bucket{model=\"m\",le=\"+Inf\"} 7\n"
            "took_seconds_sum{model=\"m\"} 40.000000001\n"
            "took_seconds_count{model=\"m\"} 7\n");
}

// The format allows one header a family, and its samples must stand together.
TEST(Exposition, JoinsSourcesThatShareAFamily) {
  const auto part = [](std::string_view value) {
    return [value](MetricSink& sink) {
      static constexpr std::string_view kLabels[] = {"worker"};
      sink.family({"a", MetricKind::kGauge, kLabels, "Of a."});
      sink.sample(std::span(&value, 1), 1);
      sink.family({"z", MetricKind::kGauge, {}, "Of z."});
    };
  };
  const Scripted one(part("1"));
  const Scripted two(part("2"));
  const std::array<const MetricSource*, 2> sources{&one, &two};
  EXPECT_EQ(render_exposition(sources),
            "# HELP a Of a.\n# TYPE a gauge\na{worker=\"1\"} 1\na{worker=\"2\"} 1\n"
            "# HELP z Of z.\n# TYPE z gauge\n");
}

// Counters are whole up to 2^53; the special values have spellings of their own.
TEST(Exposition, WritesNumbersAsPrometheusReadsThem) {
  const auto one = [](double value) {
    const Scripted source([value](MetricSink& sink) {
      sink.family({"a", MetricKind::kGauge, {}, ""});
      sink.sample({}, value);
    });
    const std::string text = rendered(source);
    return text.substr(text.rfind("a ") + 2);
  };
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(one(9007199254740991.0), "9007199254740991\n");
  EXPECT_EQ(one(-3), "-3\n");
  EXPECT_EQ(one(1.5e-7), "1.5e-07\n");
  EXPECT_EQ(one(1e300), "1e+300\n");
  EXPECT_EQ(one(Limits::infinity()), "+Inf\n");
  EXPECT_EQ(one(-Limits::infinity()), "-Inf\n");
  EXPECT_EQ(one(Limits::quiet_NaN()), "NaN\n");
}

}  // namespace
}  // namespace penstock::telemetry
