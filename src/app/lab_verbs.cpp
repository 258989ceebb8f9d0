#include "app/lab_verbs.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/on_signal.h"
#include "app/version.h"
#include "base/quantity_text.h"
#include "base/units.h"
#include "lab/lab.h"
#include "lab/load.h"
#include "lab/mock.h"
#include "lab/pacer.h"
#include "lab/runner/bench.h"
#include "runtime/system.h"

namespace penstock::app {
namespace {

// An option whose value is a duration with its unit.
void add_duration(CLI::App* verb, const std::string& flag, Duration& into,
                  const std::string& help) {
  verb->add_option_function<std::string>(
          flag,
          [&into, flag](const std::string& text) {
            const auto parsed = parse_duration(text);
            if (!parsed) throw CLI::ValidationError(flag, "wants a duration such as 500ms or 10s");
            into = *parsed;
          },
          help)
      ->type_name("DURATION");
}

void add_mock(CLI::App& app, int& code) {
  auto options = std::make_shared<lab::MockOptions>();
  CLI::App* verb = app.add_subcommand("mock", "A deterministic provider with faults on demand");
  verb->add_option("--listen", options->listen, "HOST:PORT; port 0 picks one")
      ->capture_default_str();
  verb->add_option("--dialect", options->dialect, "The API it speaks")->capture_default_str();
  verb->add_option("--fault", options->fault, "Faults from the start, as for POST /mock/fault");
  verb->add_option("--key", options->key, "Refuse requests without this bearer key");
  verb->add_option("--name", options->name, "What GET /mock/stats calls it")->capture_default_str();
  verb->add_option("--workers", options->workers, "Threads")->capture_default_str();
  verb->footer(
      "Faults: latency_ms, first_token_ms, inter_token_ms, status, body, error_rate, refuse,\n"
      "reset_after_bytes, hang, cut_after_chunks, stall_after_chunks, malformed_event_at,\n"
      "missing_done, missing_finish, usage, crlf, comments, one_byte_packets,\n"
      "error_event_at, healthy_but_failing, multi_line_data, slots, tokens.\n"
      "Example: curl -d '{\"latency_ms\": 200}' http://127.0.0.1:9000/mock/fault");
  verb->callback([options, &code] {
    const runtime::SystemClock clock;
    code = lab::run_mock(clock, *options, stop_on_signal(clock));
  });
}

constexpr const char* kLabFooter =
    "Each experiment starts gateways, mock providers and load generators of this very binary on\n"
    "free loopback ports, does something to them, and ends them by their ids. It states claims "
    "and\n"
    "measures them; before that it checks that it was what it is meant to be: the process that "
    "was\n"
    "killed is gone and its port closed, each mock is the one of its name, nothing is left from "
    "an\n"
    "earlier run, the load was offered (98 %), the machine had room (60 % of its CPU time at "
    "most).\n"
    "\n"
    "passed   every claim holds                                            exit code 0\n"
    "failed   a claim does not hold                                        exit code 1\n"
    "invalid  a check does not hold, so the numbers prove nothing; the run\n"
    "         is kept under OUT/invalid and says why                       exit code 2\n"
    "\n"
    "Evidence, in OUT/NAME: summary.json; one .csv.gz a load, a row a request (microseconds from\n"
    "the trial's start); timelines of what was done and seen; the gateways' configurations.\n"
    "OUT/index.md maps each number to its file and to the command that measures it again.\n"
    "\n"
    "Columns: start_us when it was due, late_us how much later it began, ttft_us first content,\n"
    "total_us, try (above 1: the client's retry), status, end (ok, status, timeout, error_event,\n"
    "…), code; from the gateway's log: provider, replica, attempts, queue_us, overhead_us.\n"
    "\n"
    "Examples: penstock lab --list\n"
    "          penstock lab killed --short --out /tmp/lab\n"
    "          penstock lab canary-split --seed 42";

// "40:20s": 40 requests a second for 20 seconds.
lab::RatePhase read_phase(const std::string& text) {
  const std::size_t colon = text.find(':');
  lab::RatePhase phase;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + std::min(colon, text.size()), phase.per_second);
  const bool number = error == std::errc() && end == text.data() + colon;
  const auto time =
      parse_duration(colon == std::string::npos ? std::string() : text.substr(colon + 1));
  if (!number || !time) throw CLI::ValidationError("--phase", "wants RPS:DURATION, such as 40:20s");
  phase.time = *time;
  return phase;
}

void add_load(CLI::App& app, int& code) {
  auto options = std::make_shared<lab::LoadOptions>();
  CLI::App* verb = app.add_subcommand("load", "Send requests and measure");
  verb->add_option("--url", options->url, "Base URL or endpoint")->required();
  verb->add_option("--key", options->key, "Sent as a bearer token");
  verb->add_option("--model", options->model, "The model asked for")->capture_default_str();
  CLI::Option* rps = verb->add_option("--rps", options->rps, "Open loop: requests a second");
  verb->add_option_function<std::vector<std::string>>(
          "--phase",
          [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options->phases.push_back(read_phase(text));
          },
          "Open loop of several rates in turn, each RPS:DURATION; may be repeated")
      ->type_name("RPS:DURATION")
      ->excludes(rps);
  verb->add_option("--concurrency", options->concurrency, "Closed loop: requests under way")
      ->excludes(rps)
      ->capture_default_str();
  add_duration(verb, "--duration", options->duration, "How long to measure (10s)");
  add_duration(verb, "--warm-up", options->warm_up, "Before that, unmeasured (0s)");
  add_duration(verb, "--abort-after", options->abort_after, "Leave each request after this long");
  add_duration(verb, "--timeout", options->timeout, "Of one request (60s)");
  verb->add_option("--retries", options->retries,
                   "Of a request, where the reply advises it and after the wait it names (0)");
  verb->add_option("--requests", options->requests_max, "Stop after so many");
  verb->add_option("--connections", options->connections, "Open at once, at most");
  verb->add_option("--threads", options->threads, "Threads")->capture_default_str();
  verb->add_option("--prompt-bytes", options->prompt_bytes, "Padding in the prompt");
  verb->add_option("--max-tokens", options->max_tokens, "Tokens asked for");
  verb->add_flag("--stream", options->stream, "Ask for streams");
  verb->add_flag("--json", options->json, "One JSON object on stdout, the table on stderr");
  verb->add_option("--records", options->records, "A file that gets one JSON line a request");
  verb->callback([options, &code] {
    const runtime::SystemClock clock;
    code = lab::run_load(clock, *options, stop_on_signal(clock));
  });
}

void add_lab(CLI::App& app, int& code) {
  auto options = std::make_shared<lab::LabOptions>();
  auto list = std::make_shared<bool>(false);
  CLI::App* verb =
      app.add_subcommand("lab", "Run the scripted experiments and keep their evidence");
  verb->add_option("NAME", options->names, "Experiments; all of them when none is named");
  verb->add_flag("--list", *list, "Name the experiments, a line each");
  verb->add_flag_callback(
      "--short", [options] { options->extent = lab::Extent::kShort; },
      "Just long enough to see them work; the evidence is the full length");
  verb->add_option("--out", options->out, "The folder for the evidence")->capture_default_str();
  verb->add_option("--seed", options->seed, "Of the gateways' random draws; printed when drawn");
  verb->footer(kLabFooter);
  verb->callback([options, list, &code] {
    if (*list) return lab::list_experiments();
    const runtime::SystemClock clock;
    options->program = std::filesystem::read_symlink("/proc/self/exe").string();
    options->version = version_and_commit();
    code = lab::run_lab(clock, *options, stop_on_signal(clock));
  });
}

}  // namespace

void add_lab_verbs(CLI::App& app, int& code) {
  add_mock(app, code);
  add_load(app, code);
  add_lab(app, code);
}

}  // namespace penstock::app
