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
#include "lab/load.h"
#include "lab/runner/bench.h"
#include "lab/runner/call_record.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kFault = R"({"slots":6,"latency_ms":300})";
constexpr const char* kKey = "sk-lab-burst";
constexpr double kDeviationMax = 6;  // per cent

// Six slots of 300 ms serve 20 requests a second; at 16 a second no slot is waited for.
constexpr const char* kRate = "{ requests: 16/s, burst: 2 }";
// With both, a rate above what the slots serve, so that the ceiling has something to refuse too.
constexpr const char* kRateAbove = "{ requests: 26/s, burst: 2 }";
constexpr const char* kCeiling = "limits: { in_flight: 6 }";

struct Mechanism {
  std::string_view name;
  std::string_view tenant_limits;
  std::string_view provider_limits;
};
constexpr Mechanism kNone{"none", "", ""};
constexpr Mechanism kMechanisms[] = {
    {"rate", kRate, ""}, {"admission", "", kCeiling}, {"both", kRateAbove, kCeiling}};

struct Profile {
  Duration calm;
  Duration burst;
};

// The p50 of what was admitted before, within and in the first 2 s after the burst.
struct Seen {
  double before = 0;
  double within = 0;
  double after = 0;
  std::size_t admitted = 0;
  std::size_t refused_by_rate = 0;
  std::size_t refused_by_admission = 0;
  std::size_t other_errors = 0;
  std::string source;
};

std::int64_t us(Duration time) { return time.count() / 1000; }

Seen judge(const LoadChild& load, const Profile& profile, std::string source) {
  constexpr std::int64_t kAfter = 2'000'000;
  const std::int64_t burst = load.started + us(profile.calm);
  const std::int64_t after = burst + us(profile.burst);
  const Calls within = started_within(load.calls, burst, after);
  const auto with_code = [&load](std::string_view code) {
    return count_if(load.calls, [code](const CallRecord& call) { return call.code == code; });
  };
  Seen seen{.before = total_percentile(started_within(load.calls, 0, burst), 500),
            .within = total_percentile(within, 500),
            .after = total_percentile(started_within(load.calls, after, after + kAfter), 500),
            .admitted = count_if(within, &CallRecord::ok),
            .refused_by_rate = with_code("rate_limit_exceeded"),
            .refused_by_admission = with_code("overloaded"),
            .source = std::move(source)};
  seen.other_errors = errors_in(load.calls) - seen.refused_by_rate - seen.refused_by_admission;
  return seen;
}

Result<Seen> run_profile(Bench& bench, const Mechanism& mechanism, const Profile& profile) {
  Trial trial(bench, std::string(mechanism.name));
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  GatewayPlan plan = one_provider({mock->url()}, std::string(mechanism.provider_limits));
  plan.tenants = tenant_text("retail", kKey, std::string(mechanism.tenant_limits));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  LoadOptions options;
  options.url = gateway->url();
  options.model = "chat";
  options.key = kKey;
  options.phases = {{3, profile.calm}, {40, profile.burst}, {3, profile.calm}};
  bench.say(fmt::format("{}: 3, 40, 3 requests a second", mechanism.name));
  PENSTOCK_TRY(LoadChild* const load, trial.run_load("load", std::move(options)));
  PENSTOCK_CHECK(trial.end());
  return judge(*load, profile, trial.source(*load));
}

void report_mechanism(Report& report, const Mechanism& mechanism, const Seen& seen) {
  const std::string_view name = mechanism.name;
  report.figure(fmt::format("{}: p50 unloaded", name), seen.before, "ms", seen.source);
  report.claim(fmt::format("{}: p50 of the admitted in the burst, change", name),
               at_most(kDeviationMax, "%"), deviation_percent(seen.within, seen.before),
               seen.source);
  report.claim(fmt::format("{}: p50 of the first 2 s after, change", name),
               at_most(kDeviationMax, "%"), deviation_percent(seen.after, seen.before),
               seen.source);
  report.claim(fmt::format("{}: errors other than refusals", name), exactly(0),
               static_cast<double>(seen.other_errors), seen.source);
  const auto count = [&](std::string_view what, std::size_t number) {
    report.figure(fmt::format("{}: {}", name, what), static_cast<double>(number), {}, seen.source);
  };
  count("admitted in the burst", seen.admitted);
  const auto refused = [&](std::string_view what, bool on, std::size_t number) {
    report.claim(fmt::format("{}: {}", name, what), on ? above(0) : exactly(0),
                 static_cast<double>(number), seen.source);
  };
  refused("refused by rate (429)", !mechanism.tenant_limits.empty(), seen.refused_by_rate);
  refused("refused by admission (503)", !mechanism.provider_limits.empty(),
          seen.refused_by_admission);
}

}  // namespace

Result<void> run_burst(Bench& bench) {
  const Profile profile = bench.pick<Profile>({20s, 20s}, {3s, 3s});
  PENSTOCK_TRY(const Seen control, run_profile(bench, kNone, profile));
  bench.report.check(
      {.what = "the burst hurts without a mechanism: p50 at least doubles",
       .holds = control.within >= 2 * control.before,
       .seen = fmt::format("{:.0f} ms, then {:.0f} ms", control.before, control.within)});
  bench.report.figure("none: p50 unloaded", control.before, "ms", control.source);
  bench.report.figure("none: p50 in the burst", control.within, "ms", control.source);
  bench.report.figure("none: p50 of the first 2 s after", control.after, "ms", control.source);
  for (const Mechanism& mechanism : kMechanisms) {
    PENSTOCK_TRY(const Seen seen, run_profile(bench, mechanism, profile));
    report_mechanism(bench.report, mechanism, seen);
  }
  return {};
}

}  // namespace penstock::lab
