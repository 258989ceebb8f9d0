#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/experiments.h"
#include "lab/experiments/figures.h"
#include "lab/experiments/replica_watch.h"
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

constexpr const char* kFault = R"({"latency_ms":100})";
constexpr double kFirstByteMs = 2000;
constexpr double kAttemptMs = 100;
constexpr double kSlackMs = 50;  // timers tick each 4 ms, and a loop may be busy

// A stopped process accepts connections and says nothing. Few calls reach it under least_request,
// so the breaker must be content with few samples, and the probes see it too.
constexpr std::string_view kGuards =
    "timeouts: { first_byte: 2s }, breaker: { slow_call: 1500ms, rate: 50%, samples_min: 5, "
    "window: 3s, open_for: 30s }";
// Round robin goes without: probes that fail within first_byte would hide what it does.
constexpr std::string_view kProbes =
    "health: { path: /health, model: mock, interval: 500ms, timeout: 500ms, healthy_after: 2, "
    "unhealthy_after: 3 }";

struct Hang {
  std::size_t requests = 0;
  std::size_t errors = 0;
  double longest_ms = 0;
  double out_ms = 0;
  double over_budget = 0;
  double retries = 0;
  double refused_retries = 0;  // as the gateway counts them
  std::string source;
  std::string timeline;
};

Result<Hang> hang_under(Bench& bench, std::string_view balance, std::string_view probes) {
  Trial trial(bench, std::string(balance));
  PENSTOCK_TRY(MockChild* const one, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(MockChild* const two, trial.mock("stable-2", kFault));
  GatewayPlan plan = one_provider(
      {one->url(), two->url()},
      fmt::format("balance: {}, {}{}{}", balance, kGuards, probes.empty() ? "" : ", ", probes));
  plan.sections = {"retry: { attempts_max: 3, budget: 10% }"};
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  LoadOptions options;
  options.url = gateway->url();
  options.model = "chat";
  options.rps = 25;
  options.duration = bench.pick<Duration>(24s, 9s);
  PENSTOCK_TRY(LoadChild* const load, trial.load("load", std::move(options)));
  PENSTOCK_CHECK(bench.wait(bench.pick<Duration>(12s, 4s)));
  const std::int64_t at = bench.now_us();
  PENSTOCK_CHECK(trial.freeze(*two));
  bench.say(fmt::format("{}: stopped stable-2", balance));
  PENSTOCK_TRY(const ReplicaOut out,
               watch_replica(bench, trial, *gateway, *two, Until::kEither, 5s));
  PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_TRY(const MetricsText metrics, gateway->metrics());
  const double refused = metrics.sum("penstock_retries_refused_total", {});
  trial.note(fmt::format("penstock_retries_refused_total: {}", refused));
  PENSTOCK_CHECK(trial.end());
  Hang hang{.requests = load->calls.size(),
            .errors = errors_in(load->calls),
            .out_ms = ms_after(out.either(), at),
            .over_budget = retries_over_budget(load->calls, 0.1),
            .retries = static_cast<double>(retries_in(load->calls)),
            .refused_retries = refused,
            .source = trial.source(*load),
            .timeline = trial.timeline_source()};
  for (const CallRecord& call : load->calls)
    hang.longest_ms = std::max(hang.longest_ms, call.total_ms());
  return hang;
}

}  // namespace

Result<void> run_hang(Bench& bench) {
  Report& report = bench.report;
  PENSTOCK_TRY(const Hang least, hang_under(bench, "least_request", kProbes));
  report.claim("least_request: errors that a client saw", exactly(0),
               static_cast<double>(least.errors), least.source);
  report.claim("least_request: the longest call (first_byte + one attempt)",
               at_most(kFirstByteMs + kAttemptMs + kSlackMs, "ms"), least.longest_ms, least.source);
  report.claim("least_request: out after (first_byte + 1 s)", at_most(kFirstByteMs + 1000, "ms"),
               least.out_ms, least.timeline);
  report.claim("least_request: retries beyond the budget in any 10 s", at_most(0),
               least.over_budget, least.source);
  report.figure("least_request: retries", least.retries, {}, least.source);
  PENSTOCK_TRY(const Hang robin, hang_under(bench, "weighted_round_robin", {}));
  report.figure("weighted_round_robin: errors that a client saw", static_cast<double>(robin.errors),
                {}, robin.source);
  report.figure("weighted_round_robin: retries that the budget refused", robin.refused_retries, {},
                robin.timeline);
  report.figure("weighted_round_robin: retries", robin.retries, {}, robin.source);
  report.figure("weighted_round_robin: the longest call", robin.longest_ms, "ms", robin.source);
  report.figure("weighted_round_robin: out after", robin.out_ms, "ms", robin.timeline);
  report.claim("weighted_round_robin: retries beyond the budget in any 10 s", at_most(0),
               robin.over_budget, robin.source);
  return {};
}

}  // namespace penstock::lab
