#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/experiments.h"
#include "lab/experiments/figures.h"
#include "lab/experiments/replica_watch.h"
#include "lab/load.h"
#include "lab/runner/bench.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/metrics_text.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kFault = R"({"latency_ms":100})";
constexpr const char* kFailing = R"({"latency_ms":100,"healthy_but_failing":true})";
// Half of the samples of 2 s decide: at 12 a second that is a second of failures.
constexpr const char* kGuards =
    "health: { path: /health, model: mock, interval: 500ms, timeout: 500ms, healthy_after: 2, "
    "unhealthy_after: 3 }, breaker: { slow_call: 20s, rate: 50%, samples_min: 10, window: 2s, "
    "open_for: 30s }";

}  // namespace

// A replica whose HTTP server is well and whose model is not: its health endpoint answers 200 and
// every completion fails. Only the breaker can see that.
Result<void> run_failing(Bench& bench) {
  Trial trial(bench, "healthy-but-failing");
  PENSTOCK_TRY(MockChild* const one, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(MockChild* const two, trial.mock("stable-2", kFault));
  GatewayPlan plan = one_provider({one->url(), two->url()}, kGuards);
  plan.sections = {"retry: { attempts_max: 3, budget: 10% }"};
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  LoadOptions options;
  options.url = gateway->url();
  options.model = "chat";
  options.rps = 24;
  options.duration = bench.pick<Duration>(24s, 10s);
  PENSTOCK_TRY(LoadChild* const load, trial.load("load", std::move(options)));
  PENSTOCK_CHECK(bench.wait(bench.pick<Duration>(12s, 6s)));
  PENSTOCK_TRY(const std::uint64_t failed_before, two->stat("requests"));
  const std::int64_t at = bench.now_us();
  PENSTOCK_CHECK(trial.fault(*two, kFailing));
  PENSTOCK_TRY(const ReplicaOut out,
               watch_replica(bench, trial, *gateway, *two, Until::kBreaker, 5s));
  PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_TRY(const std::uint64_t failed_after, two->stat("requests"));
  PENSTOCK_TRY(const MetricsText metrics, gateway->metrics());
  const double healthy = metrics.sum("penstock_replica_healthy", {{"replica", two->place()}});
  trial.note(fmt::format("health of stable-2 at the end: {}", healthy));
  PENSTOCK_CHECK(trial.end());
  const std::uint64_t asked = failed_after - failed_before;
  trial.check("the failing replica was asked",
              [asked]() -> std::string { return asked > 2 ? "" : fmt::format("{} times", asked); });
  Report& report = bench.report;
  const std::string source = trial.source(*load);
  report.claim("errors that a client saw", exactly(0), static_cast<double>(errors_in(load->calls)),
               source);
  report.claim("breaker out after", at_most(2000, "ms"), ms_after(out.breaker, at),
               trial.timeline_source());
  report.claim("its health at the end (it answers every probe)", exactly(1), healthy,
               trial.timeline_source());
  report.figure("retries", static_cast<double>(retries_in(load->calls)), {}, source);
  report.claim("retries beyond the budget in any 10 s", at_most(0),
               retries_over_budget(load->calls, 0.1), source);
  return {};
}

}  // namespace penstock::lab
