#include <cstddef>
#include <string>
#include <string_view>
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
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

// Sixteen slots of 200 ms: 80 requests a second for both tenants together.
constexpr const char* kFault = R"({"slots":16,"latency_ms":200})";
constexpr const char* kKeyA = "sk-lab-noisy-a";
constexpr const char* kKeyB = "sk-lab-noisy-b";
constexpr const char* kLimitA = "{ requests: 20/s, burst: 2 }";
constexpr double kNoiseRps = 200;  // ten times its limit
constexpr double kQuietRps = 40;

struct Seen {
  Calls noisy;
  Calls quiet;
  std::string noisy_source;
  std::string quiet_source;
};

LoadOptions tenant_load(const GatewayChild& gateway, const char* key, double rps, Duration time) {
  LoadOptions options;
  options.url = gateway.url();
  options.model = "chat";
  options.key = key;
  options.rps = rps;
  options.duration = time;
  return options;
}

// b by itself when `noise` is 0.
Result<Seen> run_pair(Bench& bench, std::string_view name, std::string_view limit_of_a,
                      double noise) {
  Trial trial(bench, std::string(name));
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  GatewayPlan plan = one_provider({mock->url()}, {});
  plan.tenants = tenant_text("a", kKeyA, std::string(limit_of_a)) + tenant_text("b", kKeyB, {});
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  const Duration time = bench.pick<Duration>(20s, 6s);
  bench.say(fmt::format("{}: a at {}/s, b at {}/s", name, noise, kQuietRps));
  PENSTOCK_TRY(LoadChild* const quiet,
               trial.load("b", tenant_load(*gateway, kKeyB, kQuietRps, time)));
  LoadChild* noisy = nullptr;
  if (noise > 0) {
    PENSTOCK_TRY(noisy, trial.load("a", tenant_load(*gateway, kKeyA, noise, time)));
    PENSTOCK_CHECK(trial.finish(*noisy));
  }
  PENSTOCK_CHECK(trial.finish(*quiet));
  PENSTOCK_CHECK(trial.end());
  return Seen{.noisy = noisy == nullptr ? Calls() : noisy->calls,
              .quiet = quiet->calls,
              .noisy_source = noisy == nullptr ? std::string() : trial.source(*noisy),
              .quiet_source = trial.source(*quiet)};
}

double success(const Calls& calls) {
  return percent(count_if(calls, &CallRecord::ok), calls.size());
}

}  // namespace

Result<void> run_noisy_tenant(Bench& bench) {
  PENSTOCK_TRY(const Seen alone, run_pair(bench, "alone", kLimitA, 0));
  PENSTOCK_TRY(const Seen control, run_pair(bench, "no-limit", {}, kNoiseRps));
  PENSTOCK_TRY(const Seen limited, run_pair(bench, "limit", kLimitA, kNoiseRps));
  const double p50_alone = total_percentile(alone.quiet, 500);
  const double p50_control = total_percentile(control.quiet, 500);
  Report& report = bench.report;
  report.check({.what = "the noise hurts b without a limit: its p50 at least doubles",
                .holds = p50_control >= 2 * p50_alone,
                .seen = fmt::format("{:.0f} ms, then {:.0f} ms", p50_alone, p50_control)});
  const double p99_alone = total_percentile(alone.quiet, 990);
  report.figure("b alone: p99", p99_alone, "ms", alone.quiet_source);
  report.figure("no limit: b's p50", p50_control, "ms", control.quiet_source);
  report.claim("limit: b's p99, increase", at_most(bench.pick(5, 15), "%"),
               increase_percent(total_percentile(limited.quiet, 990), p99_alone),
               limited.quiet_source);
  report.claim("limit: b's success, less than alone by", at_most(5, "%"),
               success(alone.quiet) - success(limited.quiet), limited.quiet_source);
  const std::size_t refused = count_if(
      limited.noisy, [](const CallRecord& call) { return call.code == "rate_limit_exceeded"; });
  report.claim("limit: a's requests refused by rate", between(85, 91, "%"),
               percent(refused, limited.noisy.size()), limited.noisy_source);
  report.claim("limit: a's errors of any other kind", exactly(0),
               static_cast<double>(errors_in(limited.noisy) - refused), limited.noisy_source);
  return {};
}

}  // namespace penstock::lab
