#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

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
#include "lab/runner/report.h"
#include "lab/runner/statistics.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kFault = R"({"latency_ms":10})";
constexpr const char* kTargets =
    "{ provider: stable, model: mock, weight: 90 }, { provider: canary, model: mock, weight: 10 }";

GatewayPlan split_plan(const MockChild& stable, const MockChild& canary) {
  GatewayPlan plan;
  plan.providers = {{.name = "stable", .replicas = {stable.url()}, .more = {}},
                    {.name = "canary", .replicas = {canary.url()}, .more = {}}};
  plan.models = {{.name = "chat", .targets = kTargets, .more = {}}};
  return plan;
}

LoadOptions steady_load(const std::string& url, double rps, Duration duration) {
  LoadOptions options;
  options.url = url;
  options.model = "chat";
  options.rps = rps;
  options.duration = duration;
  return options;
}

bool by_canary(const CallRecord& call) { return call.provider == "canary"; }

}  // namespace

// How the split falls is random, so what is judged is whether the count is one that 90/10 makes:
// it lies outside the interval once in 10,000 seeds.
Result<void> run_canary_split(Bench& bench) {
  Trial trial(bench, "split");
  PENSTOCK_TRY(MockChild* const stable, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(MockChild* const canary, trial.mock("canary-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(split_plan(*stable, *canary)));
  const auto [rps, time] = bench.pick<std::pair<double, Duration>>({500, 24s}, {750, 8s});
  PENSTOCK_TRY(LoadChild* const load,
               trial.run_load("load", steady_load(gateway->url(), rps, time)));
  PENSTOCK_TRY(const std::uint64_t served, canary->stat("requests"));
  PENSTOCK_CHECK(trial.end());

  Report& report = bench.report;
  const std::string source = trial.source(*load);
  const std::size_t all = count_if(load->calls, &CallRecord::ok);
  const std::size_t share = count_if(load->calls, by_canary);
  const CountInterval interval = binomial_interval(all, 0.1, 0.9999);
  report.claim("errors", exactly(0), static_cast<double>(errors_in(load->calls)), source);
  report.claim("requests", at_least(5000), static_cast<double>(all), source);
  report.claim(fmt::format("requests to the canary, 99.99 % interval, seed {}", bench.seed),
               between(static_cast<double>(interval.low), static_cast<double>(interval.high)),
               static_cast<double>(share), source);
  report.figure("the canary's share", percent(share, all), "%", source);
  report.check({.what = "the canary served what the log says it did",
                .holds = served == share,
                .seen = fmt::format("{} served, {} logged", served, share)});
  return {};
}

// A canary that dies takes nobody with it, and its share comes back to the stable target.
Result<void> run_canary_killed(Bench& bench) {
  Trial trial(bench, "killed");
  PENSTOCK_TRY(MockChild* const stable, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(MockChild* const canary, trial.mock("canary-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(split_plan(*stable, *canary)));
  const Duration before = bench.pick<Duration>(10s, 3s);
  PENSTOCK_TRY(LoadChild* const load,
               trial.load("load", steady_load(gateway->url(), 100, before + before)));
  PENSTOCK_CHECK(bench.wait(before));
  const std::int64_t killed_at = bench.now_us();
  PENSTOCK_CHECK(trial.kill(*canary));
  PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_CHECK(trial.end());

  constexpr std::int64_t kSettled = 2'000'000;  // microseconds for the breaker to see it
  Report& report = bench.report;
  const std::string source = trial.source(*load);
  const Calls earlier = started_within(load->calls, 0, killed_at);
  const Calls later = started_within(load->calls, killed_at + kSettled, INT64_MAX);
  report.check({.what = "the canary had a share before it was killed",
                .holds = count_if(earlier, by_canary) > 0,
                .seen = fmt::format("{} of {}", count_if(earlier, by_canary), earlier.size())});
  report.claim("errors", exactly(0), static_cast<double>(errors_in(load->calls)), source);
  report.claim("requests the stable target served from 2 s after", exactly(100, "%"),
               percent(count_if(later,
                                [](const CallRecord& call) {
                                  return call.ok() && call.provider == "stable";
                                }),
                       later.size()),
               source);
  report.figure("attempts beyond one a request",
                static_cast<double>(count_if(
                    load->calls, [](const CallRecord& call) { return call.attempts > 1; })),
                {}, source);
  return {};
}

}  // namespace penstock::lab
