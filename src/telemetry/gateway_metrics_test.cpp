#include "telemetry/gateway_metrics.h"

#include <array>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/histogram.h"
#include "base/label.h"
#include "base/metric.h"
#include "base/metric_shards.h"
#include "base/metric_source.h"
#include "base/outcome.h"
#include "runtime/system.h"
#include "telemetry/exposition.h"
#include "telemetry/key_set_metrics.h"
#include "telemetry/labels.h"
#include "telemetry/metric_docs.h"
#include "telemetry/process_metrics.h"
#include "telemetry/store_metrics.h"

namespace penstock::telemetry {
namespace {

// Everything that the gateway shows, as app/ wires it.
class GatewayMetricsTest : public testing::Test {
 protected:
  GatewayMetricsTest() {
    add_provider_rows(process_, {{.provider = "stable",
                                  .idle = [] { return 2.0; },
                                  .active = [] { return 1.0; },
                                  .waiting = [] { return 4.0; },
                                  .retry_budget = [] { return 0.1; },
                                  .replicas = {{.replica = "10.0.0.7:8000",
                                                .status = [] { return 2.0; },
                                                .healthy = [] { return 1.0; },
                                                .in_flight = [] { return 5.0; }}}}});
    add_store_rows(process_, {.degraded = [] { return 1.0; },
                              .errors = {{"timed_out", [] { return 3.0; }}},
                              .dropped = [] { return 2.0; },
                              .other_limits = [] { return 7.0; }});
    const auto ceiling = [](Scope scope, std::string_view workload, double count, double limit) {
      return CeilingReads{.scope = scope,
                          .tenant = workload.empty() ? "" : "retail",
                          .workload = std::string(workload),
                          .in_flight = [count] { return count; },
                          .limit = [limit] { return limit; }};
    };
    add_ceiling_rows(process_, {ceiling(Scope::kProcess, "", 3, 2000),
                                ceiling(Scope::kWorkload, "w", 3, 4),
                                {.scope = Scope::kProvider,
                                 .provider = "stable",
                                 .in_flight = [] { return 5.0; },
                                 .limit = [] { return 10.0; }},
                                {.scope = Scope::kTenant,
                                 .tenant = "free",
                                 .in_flight = [] { return std::optional<double>(); },
                                 .limit = [] { return std::optional<double>(); }}});
    add_key_set_rows(process_, {.age = [] { return 30.0; },
                                .keys = [] { return 2.0; },
                                .fetched = [] { return 3.0; },
                                .failed = [] { return 1.0; }});
    add_process_rows(process_, {.queue_depth = [] { return 6.0; },
                                .amplification = [] { return 1.0; },
                                .draining = [] { return 0.0; },
                                .drain_forced = [] { return 0.0; },
                                .access_log_dropped = [] { return 0.0; },
                                .log_dropped = [] { return 0.0; },
                                .audit_log_dropped = [] { return 0.0; },
                                .reloads_applied = [] { return 0.0; },
                                .reloads_refused = [] { return 0.0; }});
  }
  LabelNames names_;
  GatewayMetrics shard_;
  ShardedSource<GatewayMetrics> sharded_{{&shard_}, names_};
  CallbackSource process_;
  ProcessMetrics system_;
  BuildInfo build_{"1.2.3"};
  std::array<const MetricSource*, 4> sources_{&sharded_, &process_, &system_, &build_};
};

// An alert on a rate needs the counter before the first event; dashboards need the gauges.
TEST_F(GatewayMetricsTest, ShowsClosedSeriesAtZeroFromTheStart) {
  shard_.announce_provider(names_.intern("stable"));
  const std::string text = render_exposition(sources_);
  for (const std::string_view row : {
           "penstock_streams_total{end=\"terminal\"} 0\n",
           "penstock_streams_total{end=\"error_event\"} 0\n",
           "penstock_streams_total{end=\"client_gone\"} 0\n",
           "penstock_stream_interrupted_total{cause=\"client\"} 0\n",
           "penstock_stream_interrupted_total{cause=\"provider\"} 0\n",
           "penstock_stream_interrupted_total{cause=\"gateway\"} 0\n",
           "penstock_rejections_total{stage=\"identify\",code=\"unauthenticated\"} 0\n",
           "penstock_rejections_total{stage=\"identify\",code=\"store_unavailable\"} 0\n",
           "penstock_rejections_total{stage=\"policy\",code=\"content_blocked\"} 0\n",
           "penstock_rejections_total{stage=\"policy\",code=\"redaction_unavailable\"} 0\n",
           "penstock_rejections_total{stage=\"admit\",code=\"overloaded\"} 0\n",
           "penstock_uncaught_exceptions_total 0\n",
           "penstock_access_log_dropped_total 0\n",
           "penstock_in_flight{scope=\"process\",tenant=\"\",workload=\"\",provider=\"\"} 3\n",
           "penstock_saturation_ratio 0.75\n",
           "penstock_queue_depth{scope=\"process\"} 6\n",
           "penstock_queue_wait_seconds_count{scope=\"process\"} 0\n",
           "penstock_rejections_total{stage=\"quota\",code=\"rate_limit_exceeded\"} 0\n",
           "penstock_draining 0\n",
           "penstock_key_set_age_seconds 30\n",
           "penstock_key_set_fetches_total{result=\"failed\"} 1\n",
           "penstock_drain_forced_total 0\n",
           "penstock_upstream_connections{provider=\"stable\",state=\"idle\"} 2\n",
           "penstock_upstream_connections{provider=\"stable\",state=\"active\"} 1\n",
           "penstock_upstream_pool_waiting{provider=\"stable\"} 4\n",
           "penstock_upstream_pool_wait_seconds_count{provider=\"stable\"} 0\n",
           "penstock_stream_malformed_total{provider=\"stable\"} 0\n",
           "# TYPE penstock_requests_total counter\n",
           "penstock_build_info{version=\"1.2.3\",",
       })
    EXPECT_NE(text.find(row), std::string::npos) << row << "\n" << text;
  for (
      const std::string_view row : {
          R"(penstock_in_flight_limit{scope="process",tenant="",workload="",provider=""} 2000)",
          R"(penstock_in_flight_limit{scope="workload",tenant="retail",workload="w",provider=""} 4)",
          R"(penstock_in_flight_limit{scope="provider",tenant="",workload="",provider="stable"} 10)",
      })
    EXPECT_NE(text.find(std::string(row) + "\n"), std::string::npos) << row << "\n" << text;
  EXPECT_EQ(text.find("tenant=\"free\""), std::string::npos) << "a ceiling that is not there";
}

// The order of the labels in the row is the order of the member's types.
TEST_F(GatewayMetricsTest, NamesEachLabelOfARequest) {
  const auto label = [&](std::string_view text) { return names_.intern(text); };
  shard_.requests
      .at(label("retail"), label("support"), label("stable"), label("chat-default"), label("chat"),
          Outcome::kTimeout, ErrorCode::kUpstreamTimeout)
      .add();
  shard_.requests
      .at(kNoLabel, kNoLabel, kOtherLabel, kOtherLabel, label("chat"), Outcome::kOk, std::nullopt)
      .add(2);
  const std::string text = render_exposition(sources_);
  EXPECT_NE(text.find("penstock_requests_total{tenant=\"retail\",workload=\"support\","
                      "provider=\"stable\",model=\"chat-default\",surface=\"chat\","
                      "outcome=\"timeout\",code=\"upstream_timeout\"} 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{tenant=\"\",workload=\"\",provider=\"other\",model=\"other\","
                      "surface=\"chat\",outcome=\"ok\",code=\"none\"} 2\n"),
            std::string::npos)
      << text;
}

// Every name follows the rules: prefix, base unit, `_total` on counters and nowhere else.
TEST_F(GatewayMetricsTest, KeepsTheNamingRules) {
  class Rules final : public MetricSink {
   public:
    void family(const MetricFamily& family) override {
      const std::string_view name = family.name;
      EXPECT_TRUE(name.starts_with("penstock_") || name.starts_with("process_")) << name;
      EXPECT_EQ(name.ends_with("_total"), family.kind == MetricKind::kCounter) << name;
      if (family.kind == MetricKind::kHistogram) EXPECT_TRUE(name.ends_with("_seconds")) << name;
      EXPECT_TRUE(family.help.ends_with('.')) << name;
    }
    void sample(std::span<const std::string_view>, double) override {}
    void sample(std::span<const std::string_view>, const HistogramReading&) override {}
  } rules;
  for (const MetricSource* source : sources_) source->collect(rules);
}

// The page must say what the binary shows. To write it anew:
//   PENSTOCK_WRITE_DOCS=1 telemetry_test --gtest_filter='*GeneratedPage*'
TEST_F(GatewayMetricsTest, MatchesTheGeneratedPage) {
  const std::string path = std::string(PENSTOCK_GENERATED_DOCS) + "/metrics.md";
  const std::string expected = render_metric_docs(sources_);
  if (runtime::environment("PENSTOCK_WRITE_DOCS").has_value()) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << expected;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(found, expected) << "out of date: see the comment above this test";
}

}  // namespace
}  // namespace penstock::telemetry
