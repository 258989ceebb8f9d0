#include <cstddef>
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
#include "lab/runner/call_record.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kUnary = R"({"latency_ms":300})";
// Streams of some 5 s, of which the first 100 ms are before content.
constexpr const char* kStreams = R"({"first_token_ms":100,"inter_token_ms":50,"tokens":100})";
// A probe asks twice, and each answer takes the mock's 300 ms.
constexpr const char* kGuards =
    "health: { path: /health, model: mock, interval: 1s, timeout: 1s, healthy_after: 2, "
    "unhealthy_after: 3 }, breaker: { slow_call: 20s, rate: 50%, samples_min: 20, window: 30s, "
    "open_for: 30s }";
constexpr const char* kRetry = "retry: { attempts_max: 3, budget: 10% }";
constexpr double kBudget = 0.1;

// Probes come each second, give or take a tenth, and the third that fails decides.
constexpr double kHealthMin = 1500;
constexpr double kHealthMax = 3 * 1100 + 600 + 100;  // the first of them may be a good one's end

GatewayPlan two_replicas(const MockChild& one, const MockChild& two) {
  GatewayPlan plan = one_provider({one.url(), two.url()}, kGuards);
  plan.sections.emplace_back(kRetry);
  return plan;
}

CallFilter served_by(const MockChild& mock) {
  return [name = mock.name](const CallRecord& call) { return call.replica == name; };
}

void report_unary(Bench& bench, const Trial& trial, const LoadChild& load, std::int64_t killed_at,
                  const ReplicaOut& out) {
  constexpr std::int64_t kDuring = 1'000'000;  // a longer look hides in its p95 what the kill cost
  Report& report = bench.report;
  const std::string source = trial.source(load);
  const Calls before = started_within(load.calls, 0, killed_at);
  const Calls during = started_within(load.calls, killed_at - 300'000, killed_at + kDuring);
  report.claim("requests", at_least(bench.pick(540, 320)), static_cast<double>(load.calls.size()),
               source);
  report.claim("errors that a client saw", exactly(0), static_cast<double>(errors_in(load.calls)),
               source);
  report.figure("retries", static_cast<double>(retries_in(load.calls)), {}, source);
  report.claim("retries beyond the budget in any 10 s", at_most(0),
               retries_over_budget(load.calls, kBudget), source);
  report.claim("breaker out after", at_most(2000, "ms"), ms_after(out.breaker, killed_at),
               trial.timeline_source());
  report.claim("health down after", between(kHealthMin, kHealthMax, "ms"),
               ms_after(out.health, killed_at), trial.timeline_source());
  report.figure("p95 before", total_percentile(before, 950), "ms", source);
  report.figure("p95 of those around the kill (0.3 s before to 1 s after)",
                total_percentile(during, 950), "ms", source);
  report.figure("the longest of them", total_percentile(during, 1000), "ms", source);
}

Result<void> kill_under_unary(Bench& bench) {
  Trial trial(bench, "unary");
  PENSTOCK_TRY(MockChild* const one, trial.mock("stable-1", kUnary));
  PENSTOCK_TRY(MockChild* const two, trial.mock("stable-2", kUnary));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(two_replicas(*one, *two)));
  LoadOptions options;
  options.url = gateway->url();
  options.model = "chat";
  options.rps = bench.pick(20.0, 40.0);
  options.duration = bench.pick<Duration>(27s, 8s);
  PENSTOCK_TRY(LoadChild* const load, trial.load("load", std::move(options)));
  PENSTOCK_CHECK(bench.wait(bench.pick<Duration>(12s, 3s)));
  const std::int64_t killed_at = bench.now_us();
  PENSTOCK_CHECK(trial.kill(*two));
  bench.say("killed stable-2");
  PENSTOCK_TRY(const ReplicaOut out, watch_replica(bench, trial, *gateway, *two, Until::kBoth, 5s));
  PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_CHECK(trial.end());
  const std::size_t had = count_if(started_within(load->calls, 0, killed_at), served_by(*two));
  trial.check("the killed replica had its share before",
              [had]() -> std::string { return had > 20 ? "" : fmt::format("{} requests", had); });
  report_unary(bench, trial, *load, killed_at, out);
  return {};
}

// A stream past its first content cannot be retried: it ends in one error event, and so do exactly
// those that the killed replica was sending.
Result<void> kill_under_streams(Bench& bench) {
  Trial trial(bench, "streams");
  PENSTOCK_TRY(MockChild* const one, trial.mock("stable-1", kStreams));
  PENSTOCK_TRY(MockChild* const two, trial.mock("stable-2", kStreams));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(two_replicas(*one, *two)));
  LoadOptions options;
  options.url = gateway->url();
  options.model = "chat";
  options.stream = true;
  options.rps = 10;
  options.duration = bench.pick<Duration>(20s, 6s);
  PENSTOCK_TRY(LoadChild* const load, trial.load("load", std::move(options)));
  PENSTOCK_CHECK(bench.wait(bench.pick<Duration>(12s, 3s)));
  const std::int64_t killed_at = bench.now_us();
  PENSTOCK_CHECK(trial.kill(*two));
  PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_CHECK(trial.end());
  const auto past_content = [&](const CallRecord& call) {
    return served_by(*two)(call) && call.ttft && call.start + *call.ttft < killed_at &&
           call.ended() >= killed_at;
  };
  const std::size_t cut = count_if(load->calls, past_content);
  const std::size_t told = count_if(load->calls, [](const CallRecord& call) {
    return call.end == "error_event" && call.code == "stream_interrupted";
  });
  trial.check("streams were past their first content at the killed replica",
              [cut]() -> std::string { return cut > 5 ? "" : fmt::format("{} were", cut); });
  Report& report = bench.report;
  const std::string source = trial.source(*load);
  report.figure("streams past first content at the killed replica", static_cast<double>(cut), {},
                source);
  report.claim("streams that ended in one error event, and nothing after it",
               exactly(static_cast<double>(cut)), static_cast<double>(told), source);
  report.claim("streams that failed in any other way", exactly(0),
               static_cast<double>(errors_in(load->calls) - told), source);
  return {};
}

}  // namespace

Result<void> run_killed(Bench& bench) {
  PENSTOCK_CHECK(kill_under_unary(bench));
  return kill_under_streams(bench);
}

}  // namespace penstock::lab
