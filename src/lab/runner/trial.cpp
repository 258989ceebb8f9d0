#include "lab/runner/trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <signal.h>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/load.h"
#include "lab/pacer.h"
#include "lab/runner/bench.h"
#include "lab/runner/call_record.h"
#include "lab/runner/child.h"
#include "lab/runner/children.h"
#include "lab/runner/gateway_plan.h"
#include "lab/runner/kept_file.h"
#include "lab/runner/proc.h"
#include "runtime/system.h"

namespace penstock::lab {
namespace {

constexpr Duration kStartMax = 10s;
constexpr Duration kEndMax = 3s;         // after each of two signals
constexpr double kOfferedMin = 0.98;     // of the requests of an open loop
constexpr double kMachineShareMax = 60;  // per cent of the CPU time of the machine
constexpr std::size_t kRowsMax = 40'000;

// A quote within a quoted field of CSV stands twice.
std::string csv_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out;
}

std::string tail(const std::string& text) {
  constexpr std::size_t kTail = 400;
  return text.size() <= kTail ? text : "…" + text.substr(text.size() - kTail);
}

}  // namespace

Trial::Trial(Bench& bench, std::string name) : bench_(bench), name_(std::move(name)) {}

Trial::~Trial() = default;  // whatever still runs is killed

std::string Trial::scratch(std::string_view file) const {
  return (bench_.scratch / fmt::format("{}-{}", name_, file)).string();
}

std::string Trial::source(const LoadChild& load) const {
  return fmt::format("{}-{}.csv.gz", name_, load.name);
}

std::string Trial::timeline_source() const { return fmt::format("{}-timeline.csv", name_); }

void Trial::check(std::string what, const std::function<std::string()>& fault) {
  std::string seen = fault();
  const bool holds = seen.empty();
  bench_.report.check(
      {.what = fmt::format("{}: {}", name_, what), .holds = holds, .seen = std::move(seen)});
}

// Each process has a seed of its own, and files of its own if it is a second life: gateways with
// one seed would mint the same request ids.
Result<std::unique_ptr<Child>> Trial::start(std::string_view name,
                                            std::vector<std::string> arguments) {
  const std::uint64_t seed = bench_.seed + started_++;
  const std::string files = scratch(fmt::format("{}-{}", name, started_));
  arguments.insert(arguments.begin(), bench_.program);
  return Child::start(
      {.arguments = std::move(arguments),
       .environment = {std::string(kLabMark), fmt::format("PENSTOCK_SEED={}", seed)},
       .out = files + ".out",
       .err = files + ".err"});
}

Result<std::uint16_t> Trial::await_port(Child& child, std::string_view member) const {
  std::optional<std::uint16_t> port;
  PENSTOCK_TRY(const bool answered, bench_.until(kStartMax, [&] {
    port = listening_port(child.error_text(), member);
    return port.has_value() || !child.running();
  }));
  if (!port)
    return fail(ErrorCode::kInternal,
                fmt::format("a process {}: {}", answered ? "ended at its start" : "does not listen",
                            tail(child.error_text())));
  return *port;
}

Result<MockChild*> Trial::mock(std::string name, std::string_view fault) {
  auto mock = std::make_unique<MockChild>();
  mock->name = name;
  PENSTOCK_TRY(mock->child, start(name, {"mock", "--listen", "127.0.0.1:0", "--name", name,
                                         "--fault", std::string(fault)}));
  PENSTOCK_TRY(mock->port, await_port(*mock->child, "mock"));
  MockChild* const made = mocks_.emplace_back(std::move(mock)).get();
  check(fmt::format("{} is the mock of that name, with its process's id, at its port", name),
        [made]() -> std::string {
          if (!owns_port(made->child->pid(), made->port)) return "the port is another's";
          const auto told = made->identity();
          if (!told) return told.error().message;
          if (told->name == made->name && told->pid == made->child->pid()) return {};
          return fmt::format("it says {}, {}", told->name, told->pid);
        });
  return made;
}

Result<GatewayChild*> Trial::gateway(GatewayPlan plan) {
  auto gateway = std::make_unique<GatewayChild>();
  gateway->plan = std::move(plan);
  gateway->access_log = scratch(gateway->plan.name + ".access");
  GatewayChild* const made = gateways_.emplace_back(std::move(gateway)).get();
  PENSTOCK_CHECK(start_again(*made));
  std::ofstream(bench_.evidence / fmt::format("{}-{}.yaml", name_, made->plan.name))
      << config_text(made->plan, made->plan.name + ".access");
  return made;
}

Result<void> Trial::start_again(GatewayChild& gateway) {
  if (gateway.child != nullptr) ended_.push_back(std::move(gateway.child));
  GatewayPlan plan = gateway.plan;
  plan.data_port = gateway.data_port;
  plan.admin_port = gateway.admin_port;
  const std::string path = scratch(plan.name + ".yaml");
  std::ofstream(path) << config_text(plan, gateway.access_log);
  PENSTOCK_TRY(gateway.child, start(plan.name, {"serve", "-c", path}));
  PENSTOCK_TRY(gateway.data_port, await_port(*gateway.child, "data"));
  PENSTOCK_TRY(gateway.admin_port, await_port(*gateway.child, "admin"));
  check(fmt::format("{} is the process at its ports", plan.name), [&gateway]() -> std::string {
    const pid_t pid = gateway.child->pid();
    const bool own = owns_port(pid, gateway.data_port) && owns_port(pid, gateway.admin_port);
    return own ? "" : "a port is another's";
  });
  return {};
}

Result<Child*> Trial::program(ChildOptions options, std::uint16_t port) {
  auto other = std::make_unique<Other>();
  other->port = port;
  options.environment.emplace_back(kLabMark);
  const std::string name = fmt::format("program-{}", others_.size() + 1);
  options.out = scratch(name + ".out");
  options.err = scratch(name + ".err");
  PENSTOCK_TRY(other->child, Child::start(options));
  Child* const child = others_.emplace_back(std::move(other))->child.get();
  // Until it has become that program it holds copies of our sockets.
  const std::string& path = options.arguments.front();
  PENSTOCK_TRY(const bool listens, bench_.until(kStartMax, [child, port, &path] {
    return (runs_program(child->pid(), path) && owns_port(child->pid(), port)) || !child->running();
  }));
  if (!listens || !child->running())
    return fail(ErrorCode::kInternal, path + ": " + tail(child->error_text()));
  check(fmt::format("{} is that program", path), [&]() -> std::string {
    return runs_program(child->pid(), path) ? "" : "another one runs";
  });
  return child;
}

Result<LoadChild*> Trial::load(std::string name, LoadOptions options) {
  auto load = std::make_unique<LoadChild>();
  load->name = name;
  load->records_path = scratch(name + ".jsonl");
  options.records = load->records_path;
  if (loads_.empty()) {
    busy_from_ = bench_.clock.now();
    cpu_before_ = cpu_time();
  }
  PENSTOCK_TRY(load->child, start(name, load_arguments(options)));
  load->options = std::move(options);
  return loads_.emplace_back(std::move(load)).get();
}

Result<void> Trial::finish(LoadChild& load) {
  const LoadOptions& options = load.options;
  Duration time = options.phases.empty() ? options.warm_up + options.duration : Duration::zero();
  for (const RatePhase& phase : options.phases) time += phase.time;
  PENSTOCK_TRY(const bool ended, bench_.until(time + options.timeout + 20s,
                                              [&load] { return !load.child->running(); }));
  if (!ended) return fail(ErrorCode::kInternal, load.name + " does not end");
  if (load.child->exit_code() != 0)
    return fail(ErrorCode::kInternal, load.name + ": " + tail(load.child->error_text()));
  PENSTOCK_TRY(load.started, load_started(load.child->output_text()));
  PENSTOCK_TRY(load.calls, read_calls(file_text(load.records_path), load.started));
  load.finished = true;
  check(fmt::format("the load {} was offered", load.name), [&load]() -> std::string {
    const auto wanted = static_cast<double>(planned(load.options));
    const auto begun = static_cast<double>(begun_in_time(load.calls));
    if (load.options.open_loop())
      return begun >= kOfferedMin * wanted
                 ? ""
                 : fmt::format("{} of {} requests in time", begun, wanted);
    const std::size_t together = most_at_once(load.calls);
    std::size_t clients = load.options.concurrency;
    if (load.options.requests_max != 0)
      clients = std::min<std::size_t>(clients, load.options.requests_max);
    return together >= clients ? "" : fmt::format("{} of {} requests at once", together, clients);
  });
  return {};
}

Result<LoadChild*> Trial::run_load(std::string name, LoadOptions options) {
  PENSTOCK_TRY(LoadChild* const made, load(std::move(name), std::move(options)));
  PENSTOCK_CHECK(finish(*made));
  return made;
}

Result<void> Trial::kill(MockChild& mock) {
  note(fmt::format("SIGKILL to {} (process {}, port {})", mock.name, mock.child->pid(), mock.port));
  mock.child->signal(SIGKILL);
  PENSTOCK_TRY(const bool gone, bench_.until(2s, [&mock] { return !mock.child->running(); }, 1ms));
  ignore(gone, "checked next");
  check(fmt::format("{} was killed: process gone, port closed", mock.name), [&]() -> std::string {
    if (process_exists(mock.child->pid())) return "the process is alive";
    return port_open(mock.port) ? "its port is open" : "";
  });
  return {};
}

Result<void> Trial::freeze(MockChild& mock) {
  note(fmt::format("SIGSTOP to {} (process {})", mock.name, mock.child->pid()));
  mock.child->signal(SIGSTOP);
  const auto frozen = [&mock] { return process_state(mock.child->pid()) == 'T'; };
  PENSTOCK_TRY(const bool seen, bench_.until(2s, frozen, 1ms));
  check(fmt::format("{} was stopped", mock.name),
        [seen]() -> std::string { return seen ? "" : "it runs"; });
  return {};
}

Result<void> Trial::fault(const MockChild& mock, std::string_view json) {
  PENSTOCK_CHECK(mock.fault(json));
  note(fmt::format("faults of {}: {}", mock.name, json));
  return {};
}

void Trial::note(std::string text) {
  notes_.push_back({.at = bench_.now_us(), .text = std::move(text)});
}

double Trial::since_start_ms(std::int64_t at) const {
  const std::int64_t zero = loads_.empty() ? 0 : loads_.front()->started;
  return static_cast<double>(at - zero) / 1e3;
}

std::vector<Child*> Trial::children() const {
  std::vector<Child*> all;
  for (const auto& load : loads_) all.push_back(load->child.get());
  for (const auto& other : others_) all.push_back(other->child.get());
  for (const auto& child : ended_) all.push_back(child.get());
  for (const auto& gateway : gateways_) all.push_back(gateway->child.get());
  for (const auto& mock : mocks_) all.push_back(mock->child.get());
  return all;
}

Duration Trial::cpu_time() const {
  Duration sum = own_cpu_time();
  for (Child* const child : children())
    if (child != nullptr) sum += child->cpu_time();
  return sum;
}

void Trial::check_share() {
  if (loads_.empty()) return;
  const Duration wall = bench_.clock.now() - busy_from_;
  const Duration own = cpu_time() - cpu_before_;
  const double share = 100 * static_cast<double>(own.count()) /
                       static_cast<double>(wall.count() * runtime::cpus_allowed());
  bench_.report.figure(fmt::format("{}: share of the machine's CPU time", name_), share, "%",
                       "summary.json");
  check("all processes together left the machine room", [share]() -> std::string {
    return share <= kMachineShareMax ? "" : fmt::format("{:.1f} % of its CPU time", share);
  });
}

// One signal asks it to leave, the second to leave at once.
Result<void> Trial::end_child(Child& child) const {
  for (const int number : {SIGTERM, SIGTERM, SIGKILL}) {
    child.signal(SIGCONT);
    child.signal(number);
    PENSTOCK_TRY(const bool gone, bench_.until(kEndMax, [&child] { return !child.running(); }));
    if (gone) return {};
  }
  return fail(ErrorCode::kInternal, fmt::format("process {} does not end", child.pid()));
}

Result<void> Trial::end() {
  if (std::exchange(ended_all_, true)) return {};
  check_share();
  for (Child* const child : children()) PENSTOCK_CHECK(end_child(*child));
  check("every process is gone and every port closed", [this]() -> std::string {
    for (Child* const child : children())
      if (process_exists(child->pid())) return fmt::format("process {} is alive", child->pid());
    for (const auto& mock : mocks_)
      if (port_open(mock->port)) return mock->name + "'s port is open";
    for (const auto& gateway : gateways_)
      if (port_open(gateway->data_port)) return gateway->plan.name + "'s port is open";
    for (const auto& other : others_)
      if (port_open(other->port)) return fmt::format("port {} is open", other->port);
    return {};
  });
  PENSTOCK_CHECK(join_logs());
  return write_evidence();
}

Result<void> Trial::join_logs() {
  std::map<std::string, std::string> names;
  for (const auto& mock : mocks_) names[mock->place()] = mock->name;
  for (const auto& gateway : gateways_) {
    const std::string lines = file_text(gateway->access_log);
    for (const auto& load : loads_) PENSTOCK_CHECK(join_access_log(load->calls, lines, names));
  }
  check_joined();
  return {};
}

// Rows are worth something only if each has the gateway's line of the very same request.
void Trial::check_joined() {
  for (const auto& load : loads_) {
    const auto asks = [&load](const auto& mock) { return load->options.url == mock->url(); };
    if (std::ranges::any_of(mocks_, asks)) continue;
    check(fmt::format("each success of {} has one line in a gateway's log", load->name),
          [&load]() -> std::string {
            const auto muddled = std::ranges::count_if(load->calls, [](const CallRecord& call) {
              return call.ok() && call.log_lines != 1;
            });
            return muddled == 0 ? "" : fmt::format("{} of them have not", muddled);
          });
  }
}

Result<void> Trial::write_evidence() {
  const std::int64_t zero = loads_.empty() ? 0 : loads_.front()->started;
  for (const auto& load : loads_) {
    const CsvTable table = csv_table(load->calls, zero, kRowsMax);
    const std::string file = fmt::format("{}-{}.csv", name_, load->name);
    PENSTOCK_CHECK(keep_compressed(bench_, file, table.text));
    bench_.report.files.push_back(fmt::format(
        "{}: {} requests, {}", source(*load), load->calls.size(),
        table.every == 1 ? "all of them"
                         : fmt::format("every {}th kept; numbers come from all", table.every)));
  }
  if (notes_.empty()) return {};
  std::ofstream timeline(bench_.evidence / fmt::format("{}-timeline.csv", name_));
  timeline << "ms_since_load,what\n";
  for (const Note& note : notes_)
    timeline << fmt::format("{:.1f},\"{}\"\n", since_start_ms(note.at), csv_quoted(note.text));
  return {};
}

}  // namespace penstock::lab
