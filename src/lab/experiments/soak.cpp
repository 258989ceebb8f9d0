#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
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
#include "lab/runner/proc.h"
#include "lab/runner/report.h"
#include "lab/runner/statistics.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

// 16 slots of 50 ms serve unary calls; streams have a provider of their own, some 20 s each.
constexpr const char* kUnary = R"({"slots":16,"latency_ms":50})";
constexpr const char* kStreams = R"({"first_token_ms":50,"inter_token_ms":200,"tokens":100})";
constexpr const char* kShortStreams = R"({"first_token_ms":50,"inter_token_ms":200,"tokens":15})";
constexpr double kStreamSeconds = 19.9;  // of one of kStreams
constexpr double kShortSeconds = 2.9;
constexpr double kStreamsAtOnce = 500;
constexpr double kLoadShare = 0.6;
constexpr double kSlopeMax = 1;  // MiB an hour
constexpr double kRiseMax = 2;   // MiB: the allocator's steps when load peaks
constexpr double kMiB = 1024.0 * 1024.0;

// One look at the gateway.
struct Look {
  double seconds = 0;
  double memory_mib = 0;
  std::size_t descriptors = 0;
};

GatewayPlan soak_plan(const MockChild& unary, const MockChild& streams) {
  GatewayPlan plan;
  plan.providers = {{.name = "stable", .replicas = {unary.url()}, .more = {}},
                    {.name = "slow",
                     .replicas = {streams.url()},
                     .more = "limits: { in_flight: 1000, connections: 1000 }"}};
  plan.models = {{.name = "chat", .targets = "{ provider: stable, model: mock }", .more = {}},
                 {.name = "stream", .targets = "{ provider: slow, model: mock }", .more = {}}};
  return plan;
}

LoadOptions soak_load(const GatewayChild& gateway, const char* model, Duration time) {
  LoadOptions options;
  options.url = gateway.url();
  options.model = model;
  options.duration = time;
  return options;
}

Result<double> peak_of(const Bench& bench, Trial& trial, const GatewayChild& gateway) {
  LoadOptions options = soak_load(gateway, "chat", bench.pick<Duration>(8s, 2s));
  options.concurrency = 16;
  PENSTOCK_TRY(const LoadChild* const load, trial.run_load("peak", options));
  return static_cast<double>(count_if(load->calls, &CallRecord::ok)) * 1e9 /
         static_cast<double>(options.duration.count());
}

// How often calls and streams begin, in a second.
struct Rates {
  double calls = 0;
  double streams = 0;
};

// Calls, long streams, and clients of both that leave. Streams begin evenly: ones that follow one
// another fall into step.
Result<std::vector<LoadChild*>> begin_loads(Trial& trial, const GatewayChild& gateway, Rates rates,
                                            Duration time) {
  LoadOptions calls = soak_load(gateway, "chat", time);
  calls.rps = rates.calls;
  LoadOptions streams = soak_load(gateway, "stream", time);
  streams.stream = true;
  streams.rps = rates.streams;
  LoadOptions left_calls = soak_load(gateway, "chat", time);
  left_calls.rps = 5;
  left_calls.abort_after = 20ms;
  LoadOptions left_streams = soak_load(gateway, "stream", time);
  left_streams.stream = true;
  left_streams.rps = 10;
  left_streams.abort_after = 700ms;
  std::vector<LoadChild*> loads(4);
  PENSTOCK_TRY(loads[0], trial.load("calls", std::move(calls)));
  PENSTOCK_TRY(loads[1], trial.load("streams", std::move(streams)));
  PENSTOCK_TRY(loads[2], trial.load("left-calls", std::move(left_calls)));
  PENSTOCK_TRY(loads[3], trial.load("left-streams", std::move(left_streams)));
  return loads;
}

// Looks at the gateway each second until `load` ends.
Result<std::vector<Look>> watch(const Bench& bench, const GatewayChild& gateway, LoadChild& load,
                                Duration at_most) {
  std::vector<Look> looks;
  const std::int64_t begun = bench.now_us();
  const auto look = [&] {
    const pid_t pid = gateway.child->pid();
    looks.push_back({.seconds = static_cast<double>(bench.now_us() - begun) / 1e6,
                     .memory_mib = static_cast<double>(process_memory(pid)) / kMiB,
                     .descriptors = process_descriptors(pid)});
    if (looks.size() % 60 == 0)
      bench.say(fmt::format("{:.0f} s: {:.2f} MiB, {} descriptors", looks.back().seconds,
                            looks.back().memory_mib, looks.back().descriptors));
    return !load.child->running();
  };
  PENSTOCK_TRY(const bool ended, bench.until(at_most, look, 1s));
  ignore(ended, "finish() looks");
  return looks;
}

void write_looks(const Bench& bench, const std::vector<Look>& looks) {
  std::ofstream file(bench.evidence / "soak-memory.csv");
  file << "seconds,memory_mib,descriptors\n";
  for (const Look& look : looks)
    file << fmt::format("{:.1f},{:.3f},{}\n", look.seconds, look.memory_mib, look.descriptors);
}

// A stream holds two: one to its client, one to its provider.
std::size_t fewest_descriptors(const std::vector<Look>& looks, double from_s, double to_s) {
  std::size_t fewest = SIZE_MAX;
  for (const Look& look : looks)
    if (look.seconds >= from_s && look.seconds <= to_s) fewest = std::min(fewest, look.descriptors);
  return fewest;
}

void report_memory(Bench& bench, const std::vector<Look>& looks, double warm_up_s, double end_s) {
  std::vector<Point> points;
  for (const Look& look : looks)
    if (look.seconds >= warm_up_s && look.seconds <= end_s)
      points.push_back({.x = look.seconds / 3600, .y = look.memory_mib});
  const double per_hour = slope(points);
  bench.report.figure("the same by least squares, an hour (it counts each peak of the load)",
                      fitted_slope(points), "MiB", "soak-memory.csv");
  const auto highest = std::ranges::max_element(looks, {}, &Look::memory_mib);
  bench.report.figure("highest memory", highest->memory_mib, "MiB", "soak-memory.csv");
  const std::string span = fmt::format("from {:.0f} s to {:.0f} s", warm_up_s, end_s);
  const double rise = points.empty() ? 0 : points.back().y - points.front().y;
  const std::string what = fmt::format("slope of memory {}, an hour", span);
  bench.report.claim("rise of memory " + span, at_most(kRiseMax, "MiB"), rise, "soak-memory.csv");
  if (bench.extent == Extent::kFull)
    bench.report.claim(what, at_most(kSlopeMax, "MiB"), per_hour, "soak-memory.csv");
  else
    bench.report.figure(what + " (too short to claim)", per_hour, "MiB", "soak-memory.csv");
}

}  // namespace

Result<void> run_soak(Bench& bench) {
  Trial trial(bench, "soak");
  PENSTOCK_TRY(MockChild* const unary, trial.mock("stable-1", kUnary));
  PENSTOCK_TRY(MockChild* const slow, trial.mock("slow-1", bench.pick(kStreams, kShortStreams)));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(soak_plan(*unary, *slow)));
  const pid_t pid = gateway->child->pid();
  const std::size_t baseline = process_descriptors(pid);
  PENSTOCK_TRY(const double peak, peak_of(bench, trial, *gateway));
  const Duration time = bench.pick<Duration>(10min, 12s);
  bench.say(fmt::format("{:.0f}/s of {:.0f}/s, 500 streams, clients that leave", kLoadShare * peak,
                        peak));
  PENSTOCK_TRY(const std::vector<LoadChild*> loads,
               begin_loads(trial, *gateway,
                           {.calls = kLoadShare * peak,
                            .streams = kStreamsAtOnce / bench.pick(kStreamSeconds, kShortSeconds)},
                           time));
  PENSTOCK_TRY(const std::vector<Look> looks, watch(bench, *gateway, *loads[0], time + 40s));
  for (LoadChild* const load : loads) PENSTOCK_CHECK(trial.finish(*load));
  PENSTOCK_TRY(const bool back,
               bench.until(20s, [&] { return process_descriptors(pid) <= baseline; }, 200ms));
  const std::size_t descriptors = process_descriptors(pid);
  trial.note(fmt::format("descriptors: {} before the load, {} after it{}", baseline, descriptors,
                         back ? "" : ", which is more"));
  write_looks(bench, looks);
  const double seconds = static_cast<double>(time.count()) / 1e9;
  PENSTOCK_CHECK(trial.end());
  const std::size_t whole = count_if(loads[1]->calls, &CallRecord::ok);
  const std::size_t fewest = fewest_descriptors(looks, seconds / 5, seconds - 1);
  trial.check("some 500 streams are under way all the time", [&]() -> std::string {
    const auto wanted = baseline + static_cast<std::size_t>(2 * 0.95 * kStreamsAtOnce);
    return fewest >= wanted ? "" : fmt::format("{} descriptors, {} wanted", fewest, wanted);
  });
  trial.check("each stream's client saw several to their end", [whole]() -> std::string {
    return whole >= 1000 ? "" : fmt::format("{} streams ended well", whole);
  });

  Report& report = bench.report;
  report.figure("peak of unary calls", peak, "/s", "soak-peak.csv.gz");
  for (const LoadChild* const load : loads) {
    // Streams that are still under way at the end are left by the generator.
    const std::size_t failed = count_if(load->calls, [](const CallRecord& call) {
      return !call.ok() && call.end != "aborted" && call.end != "unfinished";
    });
    report.claim(fmt::format("{}: errors among {}", load->name, load->calls.size()), exactly(0),
                 static_cast<double>(failed), trial.source(*load));
  }
  report_memory(bench, looks, seconds / 5, seconds);
  report.claim("descriptors above the baseline, after the load", at_most(0),
               static_cast<double>(descriptors) - static_cast<double>(baseline),
               trial.timeline_source());
  return {};
}

}  // namespace penstock::lab
