#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
#include "lab/runner/statistics.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

// 32 slots of 50 ms: 640 requests a second at most, by the provider's doing and nobody else's.
constexpr std::uint32_t kSlots = 32;
constexpr const char* kFault = R"({"slots":32,"latency_ms":50})";

LoadOptions rung_load(const std::string& url, std::uint32_t concurrency, Duration duration) {
  LoadOptions options;
  options.url = url;
  options.model = "chat";
  options.concurrency = concurrency;
  options.warm_up = 500ms;
  options.duration = duration;
  return options;
}

struct Ladder {
  std::vector<Rung> rungs;
  std::vector<LoadChild*> loads;
};

// Doubles the concurrency until twice of it brings less than a fifth more.
Result<Ladder> climb(const Bench& bench, Trial& trial, const std::string& url) {
  constexpr std::uint32_t kConcurrencyMax = 256;
  Ladder ladder;
  for (std::uint32_t concurrency = 1; concurrency <= kConcurrencyMax; concurrency *= 2) {
    const Duration duration = bench.pick<Duration>(8s, 1500ms);
    PENSTOCK_TRY(LoadChild* const load, trial.run_load(fmt::format("{}", concurrency),
                                                       rung_load(url, concurrency, duration)));
    const double seconds = static_cast<double>(duration.count()) / 1e9;
    const auto done = static_cast<double>(count_if(load->calls, &CallRecord::ok));
    ladder.rungs.push_back(
        {.load = static_cast<double>(concurrency), .throughput = done / seconds});
    ladder.loads.push_back(load);
    bench.say(fmt::format("{} at once: {:.1f}/s, p50 {:.1f} ms", concurrency,
                          ladder.rungs.back().throughput, total_percentile(load->calls, 500)));
    if (knee(ladder.rungs)) break;
  }
  return ladder;
}

void report_rungs(Bench& bench, const Trial& trial, const Ladder& ladder) {
  std::size_t failed = 0;
  for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
    const LoadChild& load = *ladder.loads[i];
    failed += errors_in(load.calls);
    bench.report.figure(fmt::format("throughput at {} at once", ladder.rungs[i].load),
                        ladder.rungs[i].throughput, "/s", trial.source(load));
    bench.report.figure(fmt::format("p50, p95 {:.1f} and p99 {:.1f} ms at {} at once",
                                    total_percentile(load.calls, 950),
                                    total_percentile(load.calls, 990), ladder.rungs[i].load),
                        total_percentile(load.calls, 500), "ms", trial.source(load));
  }
  const std::string all = trial.source(*ladder.loads.back());
  bench.report.claim("errors on all rungs", exactly(0), static_cast<double>(failed), all);
  const std::optional<std::size_t> at = knee(ladder.rungs);
  bench.report.claim("the knee: requests at once", exactly(kSlots), at ? ladder.rungs[*at].load : 0,
                     all);
  double peak = 0;
  for (const Rung& rung : ladder.rungs) peak = std::max(peak, rung.throughput);
  bench.report.claim("peak throughput, of 640/s that the slots allow", at_least(0.95 * 640, "/s"),
                     peak, all);
}

double overhead_ms(const CallRecord& call) { return static_cast<double>(call.overhead) / 1e3; }

// The gateway's own time by its own account, and by the difference to asking the provider directly.
// The provider answers at once here, so that its timers do not hide microseconds.
Result<void> report_overhead(Bench& bench) {
  Trial trial(bench, "overhead");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("instant-1"));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(one_provider({mock->url()}, {})));
  LoadOptions options;
  options.model = "chat";
  options.rps = 200;
  options.duration = bench.pick<Duration>(15s, 3s);
  options.url = mock->url();
  PENSTOCK_TRY(LoadChild* const direct, trial.run_load("direct", options));
  options.url = gateway->url();
  PENSTOCK_TRY(LoadChild* const through, trial.run_load("through", options));
  PENSTOCK_CHECK(trial.end());

  Report& report = bench.report;
  const std::string source = trial.source(*through);
  report.claim("gateway's own time p50, by its own account", at_most(0.1, "ms"),
               percentile_of(through->calls, 500, &CallRecord::ok, &overhead_ms), source);
  report.figure("gateway's own time p99",
                percentile_of(through->calls, 990, &CallRecord::ok, &overhead_ms), "ms", source);
  report.figure("provider's time p50, as the gateway saw it",
                percentile_of(through->calls, 500, &CallRecord::ok, &CallRecord::upstream_ms), "ms",
                source);
  report.figure("p50 of asking the provider directly", total_percentile(direct->calls, 500), "ms",
                trial.source(*direct));
  report.claim("p50 that the gateway adds to it", at_most(0.5, "ms"),
               total_percentile(through->calls, 500) - total_percentile(direct->calls, 500),
               source);
  return {};
}

}  // namespace

Result<void> run_steady(Bench& bench) {
  Trial trial(bench, "ladder");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(one_provider({mock->url()}, {})));
  PENSTOCK_TRY(const Ladder ladder, climb(bench, trial, gateway->url()));
  PENSTOCK_CHECK(trial.end());
  report_rungs(bench, trial, ladder);
  return report_overhead(bench);
}

}  // namespace penstock::lab
