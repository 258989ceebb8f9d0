#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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
#include "lab/runner/metrics_text.h"
#include "lab/runner/report.h"
#include "lab/runner/trial.h"

namespace penstock::lab {
namespace {

constexpr const char* kWell = R"({"latency_ms":100})";
constexpr const char* kBrown = R"({"latency_ms":1500})";
constexpr const char* kOther = R"({"latency_ms":200})";
constexpr const char* kKeyHit = "sk-lab-brownout-hit";
constexpr const char* kKeyBeside = "sk-lab-brownout-beside";

// first_byte lies below the brownout's latency: with that the provider's slowness becomes failures
// of ours, and retries make load of them. Only `slow_call` tells the two runs apart, and it is
// below first_byte: streams, whose first content is late at that instant, not when they have
// failed.
struct Guard {
  std::string_view name;
  std::string_view slow_call;
};
constexpr Guard kControl{"control", "off"};
constexpr Guard kBreaker{"breaker", "300ms"};
constexpr const char* kRetry = "retry: { attempts_max: 3, budget: 100%, backoff_base: 20ms }";

struct Times {
  Duration calm;
  Duration brown;
  Duration recovery;
};

// One tenant's requests before, within and after the brownout.
struct Part {
  Calls before;
  Calls within;
  Calls after;
};

struct Seen {
  Part hit;
  Part beside;
  double highest_status = 0;  // of the breakers' gauge, within the brownout
  double asked = 0;           // attempts that the slow mocks counted within it
  std::int64_t cleared = 0;   // when the provider was well again
  std::string hit_source;
  std::string beside_source;
  std::string timeline;
};

GatewayPlan brownout_plan(const std::array<MockChild*, 3>& slow, const MockChild& other,
                          const Guard& guard) {
  GatewayPlan plan;
  plan.providers = {{.name = "slow",
                     .replicas = {slow[0]->url(), slow[1]->url(), slow[2]->url()},
                     .more = fmt::format(
                         "timeouts: {{ first_byte: 500ms }}, breaker: {{ slow_call: {}, rate: 50%, "
                         "samples_min: 5, window: 5s, open_for: 5s, half_open: 10% }}",
                         guard.slow_call)},
                    {.name = "other", .replicas = {other.url()}, .more = {}}};
  plan.models = {{.name = "chat", .targets = "{ provider: slow, model: mock }", .more = {}},
                 {.name = "beside", .targets = "{ provider: other, model: mock }", .more = {}}};
  plan.sections.emplace_back(kRetry);
  plan.tenants = tenant_text("hit", kKeyHit, {}) + tenant_text("beside", kKeyBeside, {});
  return plan;
}

LoadOptions tenant_load(const GatewayChild& gateway, const char* key, const char* model,
                        Duration time) {
  LoadOptions options;
  options.url = gateway.url();
  options.key = key;
  options.model = model;
  options.stream = true;
  options.rps = 15;
  options.duration = time;
  return options;
}

Part split(const Calls& calls, std::int64_t browned, std::int64_t cleared) {
  return {.before = started_within(calls, 0, browned),
          .within = started_within(calls, browned, cleared),
          .after = started_within(calls, cleared, INT64_MAX)};
}

Result<double> served(const std::array<MockChild*, 3>& slow) {
  double sum = 0;
  for (const MockChild* const mock : slow) {
    PENSTOCK_TRY(const std::uint64_t requests, mock->stat("requests"));
    sum += static_cast<double>(requests);
  }
  return sum;
}

Result<Seen> run_brownout_with(Bench& bench, const Guard& guard, const Times& times) {
  Trial trial(bench, std::string(guard.name));
  std::array<MockChild*, 3> slow{};
  for (std::size_t i = 0; i < slow.size(); ++i) {
    PENSTOCK_TRY(slow[i], trial.mock(fmt::format("slow-{}", i + 1), kWell));
  }
  PENSTOCK_TRY(MockChild* const other, trial.mock("other-1", kOther));
  PENSTOCK_TRY(GatewayChild* const gateway, trial.gateway(brownout_plan(slow, *other, guard)));
  const Duration whole = times.calm + times.brown + times.recovery;
  PENSTOCK_TRY(LoadChild* const hit,
               trial.load("hit", tenant_load(*gateway, kKeyHit, "chat", whole)));
  PENSTOCK_TRY(LoadChild* const beside,
               trial.load("beside", tenant_load(*gateway, kKeyBeside, "beside", whole)));
  PENSTOCK_CHECK(bench.wait(times.calm));
  bench.say(fmt::format("{}: three replicas turn slow", guard.name));
  Seen seen;
  const std::int64_t browned = bench.now_us();
  PENSTOCK_TRY(const double asked_before, served(slow));
  for (const MockChild* const mock : slow) PENSTOCK_CHECK(trial.fault(*mock, kBrown));
  const auto look = [&] {
    if (const auto metrics = gateway->metrics())
      for (const MockChild* const mock : slow)
        seen.highest_status =
            std::max(seen.highest_status,
                     metrics->sum("penstock_provider_status", {{"replica", mock->place()}}));
    return false;
  };
  PENSTOCK_TRY(const bool done, bench.until(times.brown, look, 100ms));
  ignore(done, "it looks on until the time is up");
  for (const MockChild* const mock : slow) PENSTOCK_CHECK(trial.fault(*mock, kWell));
  seen.cleared = bench.now_us();
  PENSTOCK_TRY(const double asked_after, served(slow));
  seen.asked = asked_after - asked_before;
  trial.note(
      fmt::format("highest provider_status of the slow replicas: {}; they were asked {} "
                  "times within the brownout",
                  seen.highest_status, seen.asked));
  PENSTOCK_CHECK(trial.finish(*hit));
  PENSTOCK_CHECK(trial.finish(*beside));
  PENSTOCK_CHECK(trial.end());
  seen.hit = split(hit->calls, browned, seen.cleared);
  seen.beside = split(beside->calls, browned, seen.cleared);
  seen.hit_source = trial.source(*hit);
  seen.beside_source = trial.source(*beside);
  seen.timeline = trial.timeline_source();
  trial.check("the provider was well before", [&seen]() -> std::string {
    return errors_in(seen.hit.before) == 0 ? "" : "requests failed before the brownout";
  });
  return seen;
}

// Until each later second had 95 % successes; a minute when that never came.
double recovered_after_s(const Seen& seen) {
  constexpr std::int64_t kSecond = 1'000'000;
  const std::int64_t end = seen.hit.after.empty() ? seen.cleared : seen.hit.after.back().start;
  double recovered = 60;
  for (std::int64_t from = end - kSecond; from >= seen.cleared - kSecond; from -= kSecond / 4) {
    const Calls second = started_within(seen.hit.after, from, from + kSecond);
    if (percent(count_if(second, &CallRecord::ok), second.size()) < 95) break;
    recovered = static_cast<double>(std::max(from, seen.cleared) - seen.cleared) / 1e6;
  }
  return recovered;
}

void report_beside(Bench& bench, const Seen& seen) {
  Report& report = bench.report;
  const double before = total_percentile(seen.beside.before, 990);
  const double within = total_percentile(seen.beside.within, 990);
  report.figure("breaker: p99 of the tenant on another provider, before", before, "ms",
                seen.beside_source);
  report.claim("breaker: its p99 within the brownout, increase", at_most(bench.pick(5, 15), "%"),
               increase_percent(within, before), seen.beside_source);
  const auto successes = [](const Calls& calls) {
    return percent(count_if(calls, &CallRecord::ok), calls.size());
  };
  report.claim("breaker: its successes within the brownout, less than before by", at_most(5, "%"),
               successes(seen.beside.before) - successes(seen.beside.within), seen.beside_source);
}

}  // namespace

Result<void> run_brownout(Bench& bench) {
  const Times times = bench.pick<Times>({10s, 20s, 20s}, {3s, 4s, 7s});
  Report& report = bench.report;
  PENSTOCK_TRY(const Seen control, run_brownout_with(bench, kControl, times));
  report.claim("control: amplification within the brownout", above(1.5),
               amplification(control.hit.within), control.hit_source);
  report.claim("control: highest provider_status (0: closed)", exactly(0), control.highest_status,
               control.timeline);
  report.figure("control: errors that the tenant saw",
                percent(errors_in(control.hit.within), control.hit.within.size()), "%",
                control.hit_source);
  PENSTOCK_TRY(const Seen breaker, run_brownout_with(bench, kBreaker, times));
  report.claim("breaker: amplification within the brownout", below(1),
               amplification(breaker.hit.within), breaker.hit_source);
  report.claim("breaker: highest provider_status (2: open)", exactly(2), breaker.highest_status,
               breaker.timeline);
  report.figure("breaker: attempts that the slow replicas counted", breaker.asked, {},
                breaker.timeline);
  report.figure("control: attempts that the slow replicas counted", control.asked, {},
                control.timeline);
  report_beside(bench, breaker);
  report.claim("breaker: recovered after the provider did", at_most(bench.pick(10, 7), "s"),
               recovered_after_s(breaker), breaker.hit_source);
  return {};
}

}  // namespace penstock::lab
