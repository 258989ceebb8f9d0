#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/experiments.h"
#include "lab/experiments/figures.h"
#include "lab/load.h"
#include "lab/runner/bench.h"
#include "lab/runner/call_record.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/metrics_text.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kFault = R"({"latency_ms":200})";
constexpr const char* kPool = "limits: { connections: 50, waiting: 1024, wait: 5s }";

LoadOptions clients(const std::string& url, std::uint32_t concurrency, Duration duration) {
  LoadOptions options;
  options.url = url;
  options.model = "chat";
  options.concurrency = concurrency;
  options.duration = duration;
  options.warm_up = 1s;
  return options;
}

double queued_ms(const CallRecord& call) { return static_cast<double>(call.queued) / 1e3; }

}  // namespace

// With few connections the wait for one is the gateway's own, and invisible to whoever watches the
// provider: its time stays what it was while clients wait several times as long.
Result<void> run_blind_spot(Bench& bench) {
  Trial trial(bench, "pool-of-50");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(one_provider({mock->url()}, kPool)));
  const Duration duration = bench.pick<Duration>(15s, 4s);
  PENSTOCK_TRY(LoadChild* const fits, trial.run_load("50", clients(gateway->url(), 50, duration)));
  PENSTOCK_TRY(LoadChild* const full, trial.load("300", clients(gateway->url(), 300, duration)));
  double waiting = 0;
  double open = 0;
  PENSTOCK_TRY(const bool ended,
               bench.until(
                   duration + 20s,
                   [&] {
                     if (const auto metrics = gateway->metrics()) {
                       waiting = std::max(waiting, metrics->sum("penstock_upstream_pool_waiting"));
                       open = std::max(open, metrics->sum("penstock_upstream_connections"));
                     }
                     return !full->child->running();
                   },
                   100ms));
  ignore(ended, "finish() looks");
  trial.note(fmt::format("highest upstream_pool_waiting {}, highest upstream_connections {}",
                         waiting, open));
  PENSTOCK_CHECK(trial.finish(*full));
  PENSTOCK_CHECK(trial.end());

  Report& report = bench.report;
  const double calm = percentile_of(fits->calls, 500, &CallRecord::ok, &CallRecord::upstream_ms);
  const double busy = percentile_of(full->calls, 500, &CallRecord::ok, &CallRecord::upstream_ms);
  report.claim("errors", exactly(0),
               static_cast<double>(errors_in(fits->calls) + errors_in(full->calls)),
               trial.source(*full));
  report.claim("upstream_pool_waiting, the highest seen", between(200, 250), waiting,
               trial.timeline_source());
  report.claim("upstream_connections, the highest seen", at_most(50), open,
               trial.timeline_source());
  report.figure("provider's time p50 with 50 at once", calm, "ms", trial.source(*fits));
  report.claim("provider's time p50 with 300 at once, change", at_most(5, "%"),
               deviation_percent(busy, calm), trial.source(*full));
  report.claim("wait for a connection p50 with 300 at once", at_least(3 * calm, "ms"),
               percentile_of(full->calls, 500, &CallRecord::ok, &queued_ms), trial.source(*full));
  report.figure("total p50 with 50 at once", total_percentile(fits->calls, 500), "ms",
                trial.source(*fits));
  report.figure("total p50 with 300 at once", total_percentile(full->calls, 500), "ms",
                trial.source(*full));
  return {};
}

}  // namespace penstock::lab
