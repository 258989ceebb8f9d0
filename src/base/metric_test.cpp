#include "base/metric.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/describe.h"
#include "base/error_code.h"
#include "base/histogram.h"
#include "base/label.h"
#include "base/label_tuple.h"
#include "base/metric_row.h"
#include "base/metric_shards.h"
#include "base/metric_source.h"
#include "base/outcome.h"
#include "base/units.h"

namespace penstock {
namespace {

// Writes what it is told as text, one line a sample.
class TextSink final : public MetricSink {
 public:
  void family(const MetricFamily& family) override {
    name_ = family.name;
    seen[name_];
  }
  void sample(std::span<const std::string_view> labels, double value) override {
    std::string key;
    for (const std::string_view label : labels) key += std::string(label) + "/";
    seen[name_].emplace_back(key, value);
  }
  void sample(std::span<const std::string_view> labels, const HistogramReading& r) override {
    std::uint64_t count = 0;
    for (const std::uint64_t bucket : r.buckets) count += bucket;
    sample(labels, static_cast<double>(count));
  }
  std::map<std::string, std::vector<std::pair<std::string, double>>> seen;

 private:
  std::string name_;
};

constexpr std::array<Duration, 2> kBounds{1ms, 1s};

struct SampleMetrics {
  Counter<Label, Outcome> calls{/*series_max=*/3};
  Gauge<Label> open;
  Histogram<Label> took{kBounds};
  Counter<> faults;
};

constexpr auto metrics(Describe<SampleMetrics>) {
  using M = SampleMetrics;
  return std::tuple{
      metric("calls_total", &M::calls, labels("provider", "outcome"), "Calls."),
      metric("open", &M::open, labels("provider"), "Open."),
      metric("took_seconds", &M::took, labels("provider"), "Took."),
      metric("faults_total", &M::faults, labels(), "Faults."),
  };
}

template <class Keys>
concept RowOfCalls =
    requires(Keys keys) { metric("calls_total", &SampleMetrics::calls, keys, "Calls."); };
static_assert(RowOfCalls<LabelKeys<2>>);
static_assert(!RowOfCalls<LabelKeys<1>>, "a label too few does not compile");
static_assert(!RowOfCalls<LabelKeys<3>>, "a label too many does not compile");

// Hot code keeps the reference; it must stay the same series whatever is added later.
TEST(Metric, KeepsASeriesWhereItIs) {
  Counter<Label, Outcome> calls;
  CounterSeries& first = calls.at(Label{2}, Outcome::kOk);
  for (std::uint16_t i = 3; i < 600; ++i) calls.at(Label{i}, Outcome::kOk).add();
  EXPECT_EQ(&calls.at(Label{2}, Outcome::kOk), &first);
  first.add(5);
  EXPECT_EQ(first.read(), 5U);
  int series = 0;
  calls.each([&](LabelTuple, const CounterSeries&) { ++series; });
  EXPECT_EQ(series, 598);
}

// Labels in any of the eight places tell series apart.
TEST(Metric, TellsEachLabelPlaceApart) {
  Counter<Label, Label, Label, Label, Label, Outcome, std::optional<ErrorCode>> calls;
  const Label a{2};
  const Label b{3};
  const auto none = std::optional<ErrorCode>();
  std::vector<const void*> all{&calls.at(a, a, a, a, a, Outcome::kOk, none),
                               &calls.at(b, a, a, a, a, Outcome::kOk, none),
                               &calls.at(a, b, a, a, a, Outcome::kOk, none),
                               &calls.at(a, a, b, a, a, Outcome::kOk, none),
                               &calls.at(a, a, a, b, a, Outcome::kOk, none),
                               &calls.at(a, a, a, a, b, Outcome::kOk, none),
                               &calls.at(a, a, a, a, a, Outcome::kSlow, none),
                               &calls.at(a, a, a, a, a, Outcome::kOk, ErrorCode::kInvalidJson)};
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

// Too many configured names must cost bounded memory, yet lose no count and no outcome.
TEST(Metric, CountsOverflowUnderOther) {
  const LabelNames names;
  SampleMetrics shard;
  for (std::uint16_t i = 2; i < 50; ++i) shard.calls.at(Label{i}, Outcome::kFault).add();
  shard.calls.at(Label{50}, Outcome::kOk).add();
  TextSink sink;
  ShardedSource<SampleMetrics>({&shard}, names).collect(sink);
  double total = 0;
  for (const auto& [labels, value] : sink.seen["calls_total"]) total += value;
  EXPECT_EQ(total, 49);
  std::size_t series = 0;
  shard.calls.each([&](LabelTuple, const CounterSeries&) { ++series; });
  EXPECT_EQ(series, 5U);  // three named ones, other/fault, other/ok
  EXPECT_EQ(shard.calls.at(kOtherLabel, Outcome::kFault).read(), 45U);
}

// A scrape shows the process, not a worker; families without samples are announced too.
TEST(Metric, SumsTheSameSeriesOverShards) {
  LabelNames names;
  const Label b = names.intern("b");
  const Label a = names.intern("a");
  SampleMetrics one;
  SampleMetrics two;
  one.calls.at(b, Outcome::kOk).add(2);
  two.calls.at(b, Outcome::kOk).add(3);
  two.calls.at(a, Outcome::kTimeout).add(7);
  one.open.at(a).add(4);
  two.open.at(a).add(-1);
  one.took.at(a).observe(1ms);
  two.took.at(a).observe(2s);
  TextSink sink;
  ShardedSource<SampleMetrics>({&one, &two}, names).collect(sink);
  using Samples = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(sink.seen["calls_total"], (Samples{{"a/timeout/", 7}, {"b/ok/", 5}}));
  EXPECT_EQ(sink.seen["open"], (Samples{{"a/", 3}}));
  EXPECT_EQ(sink.seen["took_seconds"], (Samples{{"a/", 2}}));
  EXPECT_EQ(sink.seen["faults_total"], Samples{});
}

// A request without an error still has a code label.
TEST(Metric, ShowsAnAbsentEnumAsNone) {
  const LabelNames names;
  using Traits = LabelTraits<std::optional<ErrorCode>>;
  EXPECT_EQ(Traits::text(Traits::pack(std::nullopt), names), "none");
  EXPECT_EQ(Traits::text(Traits::pack(ErrorCode::kOverloaded), names), "overloaded");
}

// A gauge that is not given back on some path would lie for ever.
TEST(GaugeGuard, GivesBackExactlyOnce) {
  GaugeSeries gauge;
  {
    GaugeGuard outer(gauge);
    EXPECT_EQ(gauge.read(), 1);
    GaugeGuard moved(std::move(outer));
    EXPECT_EQ(gauge.read(), 1);
    GaugeGuard other(gauge);
    EXPECT_EQ(gauge.read(), 2);
    other = std::move(moved);
    EXPECT_EQ(gauge.read(), 1);
    other.release();
    other.release();
    EXPECT_EQ(gauge.read(), 0);
  }
  EXPECT_EQ(gauge.read(), 0);
}

// `le` is inclusive; what is beyond the last bound or below zero is counted all the same.
TEST(Histogram, PutsAValueOnABoundIntoItsBucket) {
  Histogram<> family{kBounds};
  HistogramSeries& took = family.at();
  took.observe(-1s);
  took.observe(0ns);
  took.observe(1ms);
  took.observe(1ms + 1ns);
  took.observe(1s);
  took.observe(1s + 1ns);
  took.observe(24h);
  HistogramReading reading;
  took.add_to(reading);
  EXPECT_EQ(reading.buckets[0], 3U);
  EXPECT_EQ(reading.buckets[1], 2U);
  EXPECT_EQ(reading.buckets[2], 2U);
  const Duration sum = 1ms + 1ms + 1ns + 1s + 1s + 1ns + 24h;
  EXPECT_EQ(reading.sum_ns, static_cast<std::uint64_t>(sum.count()));
}

// Values that live elsewhere are read at each scrape, not when registered.
TEST(CallbackSource, ReadsAtEachScrape) {
  double value = 1;
  CallbackSource source;
  source.add({.name = "in_flight",
              .kind = MetricKind::kGauge,
              .labels = {"scope"},
              .help = "Now.",
              .samples = {{.labels = {"process"}, .read = [&value] { return value; }}}});
  value = 9;
  TextSink sink;
  source.collect(sink);
  ASSERT_EQ(sink.seen["in_flight"].size(), 1U);
  EXPECT_EQ(sink.seen["in_flight"][0], (std::pair<std::string, double>{"process/", 9}));
}

// Under TSan: a scrape while the worker adds series and counts, and while names are interned.
TEST(Metric, MayBeScrapedWhileWritten) {
  LabelNames names;
  SampleMetrics shard;
  Counter<Label> growing;
  std::jthread worker([&] {
    for (std::uint16_t i = 0; i < 20000; ++i) {
      growing.at(names.intern("n" + std::to_string(i % 500))).add();
      shard.took.at(kOtherLabel).observe(Duration(i));
      const GaugeGuard held(shard.open.at(kOtherLabel));
    }
  });
  double seen = 0;
  for (int scrape = 0; scrape < 50; ++scrape) {
    double sum = 0;
    growing.each([&](LabelTuple tuple, const CounterSeries& series) {
      EXPECT_FALSE(Counter<Label>::texts(tuple, names)[0].empty());
      sum += static_cast<double>(series.read());
    });
    EXPECT_GE(sum, seen);  // counters never go back
    seen = sum;
    TextSink sink;
    ShardedSource<SampleMetrics>({&shard}, names).collect(sink);
  }
  worker.join();
}

}  // namespace
}  // namespace penstock
