#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Eight slots of 100 ms: 80 requests a second.
constexpr const char* kFault = R"({"slots":8,"latency_ms":100})";
constexpr const char* kCeiling = "limits: { in_flight: 8 }";
constexpr double kCalmRps = 40;
constexpr double kOverloadRps = 240;
constexpr std::int64_t kSecond = 1'000'000;

struct Times {
  Duration peak;
  Duration calm;
  Duration overload;
  Duration after;
  Duration control;
};

LoadOptions chat(const GatewayChild& gateway) {
  LoadOptions options;
  options.url = gateway.url();
  options.model = "chat";
  return options;
}

double seconds(Duration time) { return static_cast<double>(time.count()) / 1e9; }
std::int64_t us(Duration time) { return time.count() / 1000; }

bool refused(const CallRecord& call) { return call.code == "overloaded"; }

// What the target took; the generator's own delay is not its fault.
double answer_ms(const CallRecord& call) {
  return static_cast<double>(call.total - call.late) / 1e3;
}

// Successes that ended in [from, to), a second.
double goodput(const Calls& calls, std::int64_t from, std::int64_t to) {
  const std::size_t good = count_if(calls, [from, to](const CallRecord& call) {
    return call.ok() && call.ended() >= from && call.ended() < to;
  });
  return static_cast<double>(good) * kSecond / static_cast<double>(to - from);
}

// Seconds from `from` until nothing was refused any more and the p50 was within a tenth of the calm
// one, in that second and all later ones.
double normal_after_s(const Calls& calls, std::int64_t from, std::int64_t to, double calm_p50) {
  double normal = 60;
  for (std::int64_t at = to - kSecond; at >= from; at -= kSecond) {
    const Calls second = started_within(calls, at, at + kSecond);
    if (errors_in(second) != 0) break;
    if (deviation_percent(total_percentile(second, 500), calm_p50) > 10) break;
    normal = static_cast<double>(at - from) / kSecond;
  }
  return normal;
}

// Without a ceiling the provider's queue grows for as long as the overload lasts.
Result<void> run_control(Bench& bench, const Times& times) {
  Trial trial(bench, "none");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(one_provider({mock->url()}, {})));
  LoadOptions options = chat(*gateway);
  options.phases = {{kCalmRps, times.calm}, {kOverloadRps, times.control}};
  options.timeout = 30s;
  bench.say("none: 40, then 240 requests a second");
  PENSTOCK_TRY(LoadChild* const load, trial.run_load("load", std::move(options)));
  PENSTOCK_CHECK(trial.end());
  const std::int64_t overload = load->started + us(times.calm);
  const double calm = total_percentile(started_within(load->calls, 0, overload), 500);
  const double within = total_percentile(started_within(load->calls, overload, INT64_MAX), 500);
  trial.check("the overload hurts without a ceiling: p50 at least doubles",
              [calm, within]() -> std::string {
                return within >= 2 * calm ? "" : fmt::format("{} ms, then {} ms", calm, within);
              });
  bench.report.figure("none: p50 before", calm, "ms", trial.source(*load));
  bench.report.figure("none: p50 within", within, "ms", trial.source(*load));
  return {};
}

void report_overload(Bench& bench, const Trial& trial, const LoadChild& load, double peak,
                     const Times& times) {
  Report& report = bench.report;
  const std::string source = trial.source(load);
  const std::int64_t from = load.started + us(times.calm);
  const std::int64_t to = from + us(times.overload);
  const Calls within = started_within(load.calls, from, to);
  const double calm_p50 = total_percentile(started_within(load.calls, 0, from), 500);
  report.claim("goodput within, of the peak", at_least(90, "%"),
               100 * goodput(load.calls, from, to) / peak, source);
  report.claim("p99 of refusals", at_most(5, "ms"),
               percentile_of(within, 990, &refused, &answer_ms), source);
  report.claim("errors other than refusals", exactly(0),
               static_cast<double>(errors_in(load.calls) - count_if(load.calls, &refused)), source);
  report.claim("back to normal after", at_most(10, "s"),
               normal_after_s(load.calls, to, to + us(times.after), calm_p50), source);
  report.figure("requests within, tries included", static_cast<double>(within.size()), {}, source);
  report.figure("refusals within", static_cast<double>(count_if(within, &refused)), {}, source);
  report.figure("p50 before", calm_p50, "ms", source);
  report.claim("p50 of the admitted within, change", at_most(10, "%"),
               deviation_percent(total_percentile(within, 500), calm_p50), source);
}

}  // namespace

Result<void> run_overload(Bench& bench) {
  const Times times = bench.pick<Times>({10s, 10s, 60s, 20s, 10s}, {3s, 2s, 4s, 9s, 3s});
  PENSTOCK_CHECK(run_control(bench, times));
  Trial trial(bench, "ceiling");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(one_provider({mock->url()}, kCeiling)));
  LoadOptions full = chat(*gateway);
  full.concurrency = 8;
  full.duration = times.peak;
  PENSTOCK_TRY(LoadChild* const at_peak, trial.run_load("peak", std::move(full)));
  const double peak =
      static_cast<double>(count_if(at_peak->calls, &CallRecord::ok)) / seconds(times.peak);
  LoadOptions options = chat(*gateway);
  options.phases = {
      {kCalmRps, times.calm}, {kOverloadRps, times.overload}, {kCalmRps, times.after}};
  options.retries = 2;
  bench.say("ceiling: 40, 240, 40 requests a second, clients retry twice");
  PENSTOCK_TRY(LoadChild* const load, trial.run_load("load", std::move(options)));
  PENSTOCK_CHECK(trial.end());
  bench.report.figure("peak goodput (8 at once)", peak, "/s", trial.source(*at_peak));
  report_overload(bench, trial, *load, peak, times);
  return {};
}

}  // namespace penstock::lab
