#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <signal.h>

#include <fmt/format.h>

#include "base/error_code.h"
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

constexpr std::uint32_t kStreams = 300;
// Some 3 s a stream.
constexpr const char* kFault = R"({"inter_token_ms":50,"tokens":60})";

LoadOptions streams(const GatewayChild& gateway) {
  LoadOptions options;
  options.url = gateway.url();
  options.model = "chat";
  options.stream = true;
  options.concurrency = kStreams;
  options.requests_max = kStreams;
  options.duration = 10s;
  options.timeout = 30s;
  return options;
}

// One gateway with 300 streams that is told to leave.
struct Leaving {
  LoadChild* load = nullptr;
  int exit_code = 0;
  double took_ms = 0;  // from the signal to the exit
};

Result<Leaving> leave_under_streams(Bench& bench, Trial& trial, GatewayChild& gateway,
                                    const MockChild& mock, const std::string& name) {
  PENSTOCK_TRY(LoadChild* const load, trial.load(name, streams(gateway)));
  PENSTOCK_TRY(const bool all,
               bench.until(5s, [&mock] { return mock.stat("in_flight").value_or(0) == kStreams; }));
  trial.check(name + ": all streams ran at the signal",
              [all]() -> std::string { return all ? "" : "they did not"; });
  const std::int64_t at = bench.now_us();
  trial.note(name + ": SIGTERM to the gateway");
  gateway.child->signal(SIGTERM);
  PENSTOCK_TRY(const bool left, bench.until(40s, [&] { return !gateway.child->running(); }));
  if (!left) return fail(ErrorCode::kInternal, "the gateway does not leave");
  const double took = static_cast<double>(bench.now_us() - at) / 1e3;
  const int code = gateway.child->exit_code().value_or(-1);
  trial.note(fmt::format("{}: it left with exit code {}", name, code));
  PENSTOCK_CHECK(trial.finish(*load));
  return Leaving{.load = load, .exit_code = code, .took_ms = took};
}

Result<void> drain_in_time(Bench& bench) {
  Trial trial(bench, "in-time");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  GatewayPlan plan = one_provider({mock->url()}, {});
  plan.sections = {"drain: { settle: 200ms, timeout: 30s }"};
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  const std::uint32_t runs = bench.pick(20U, 2U);
  std::size_t cut = 0;
  std::size_t whole = 0;
  int clean_exits = 0;
  double longest = 0;
  std::string source;
  for (std::uint32_t run = 1; run <= runs; ++run) {
    if (run > 1) PENSTOCK_CHECK(trial.start_again(*gateway));
    bench.say(fmt::format("run {} of {}", run, runs));
    PENSTOCK_TRY(const Leaving left,
                 leave_under_streams(bench, trial, *gateway, *mock, fmt::format("run-{}", run)));
    cut += errors_in(left.load->calls);
    whole += count_if(left.load->calls, &CallRecord::ok);
    clean_exits += left.exit_code == 0 ? 1 : 0;
    longest = std::max(longest, left.took_ms);
    source = trial.source(*left.load);
  }
  PENSTOCK_CHECK(trial.end());
  Report& report = bench.report;
  report.claim(fmt::format("streams cut, of {} in {} runs", kStreams * runs, runs), exactly(0),
               static_cast<double>(cut), source);
  report.claim("streams that came whole", exactly(kStreams * runs), static_cast<double>(whole),
               source);
  report.claim("exits with code 0", exactly(runs), clean_exits, trial.timeline_source());
  report.figure("longest from signal to exit", longest, "ms", trial.timeline_source());
  return {};
}

// When the time is too short, each stream is told, the exit says so, and a record names them.
Result<void> drain_too_short(Bench& bench) {
  Trial trial(bench, "too-short");
  PENSTOCK_TRY(MockChild* const mock, trial.mock("stable-1", kFault));
  GatewayPlan plan = one_provider({mock->url()}, {});
  plan.sections = {"drain: { settle: 100ms, timeout: 500ms }"};
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(std::move(plan)));
  PENSTOCK_TRY(const Leaving left, leave_under_streams(bench, trial, *gateway, *mock, "streams"));
  const std::string said = gateway->child->error_text();
  PENSTOCK_CHECK(trial.end());
  const Calls& calls = left.load->calls;
  const std::size_t told =
      count_if(calls, [](const CallRecord& call) { return call.end == "error_event"; });
  const std::size_t named =
      count_if(calls, [&said](const CallRecord& call) { return said.contains(call.request_id); });
  Report& report = bench.report;
  const std::string source = trial.source(*left.load);
  report.claim("too short: streams that got one error event", exactly(kStreams),
               static_cast<double>(told), source);
  report.claim("too short: requests that the record names", exactly(kStreams),
               static_cast<double>(named), source);
  report.claim("too short: exit code", at_least(1), left.exit_code, trial.timeline_source());
  report.claim("too short: from signal to exit", between(600, 1600, "ms"), left.took_ms,
               trial.timeline_source());
  return {};
}

}  // namespace

Result<void> run_drain(Bench& bench) {
  PENSTOCK_CHECK(drain_in_time(bench));
  return drain_too_short(bench);
}

}  // namespace penstock::lab
