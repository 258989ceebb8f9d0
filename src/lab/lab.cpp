#include "lab/lab.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/nearest.h"
#include "base/quantity_text.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/experiments/catalogue.h"
#include "lab/on_stop.h"
#include "lab/runner/bench.h"
#include "lab/runner/evidence.h"
#include "lab/runner/proc.h"
#include "lab/runner/report.h"
#include "runtime/system.h"

namespace penstock::lab {
namespace {

namespace fs = std::filesystem;

constexpr int kExitInvalid = 2;
constexpr std::uint64_t kSeedMax = 1'000'000'000;

const Experiment* find(std::string_view wanted) {
  const auto found = std::ranges::find(experiments(), wanted, &Experiment::name);
  return found == experiments().end() ? nullptr : &*found;
}

// nullopt when a name is unknown, which is then said.
std::optional<std::vector<const Experiment*>> chosen(const std::vector<std::string>& names) {
  std::vector<const Experiment*> out;
  for (const std::string& name : names) {
    out.push_back(find(name));
    if (out.back() != nullptr) continue;
    std::vector<std::string_view> known;
    for (const Experiment& one : experiments()) known.push_back(one.name);
    const auto near = nearest(name, known);
    fmt::print(stderr, "penstock lab: no experiment \"{}\"{}; --list names them\n", name,
               near ? fmt::format(" — did you mean \"{}\"?", *near) : "");
    return std::nullopt;
  }
  if (names.empty())
    for (const Experiment& one : experiments()) out.push_back(&one);
  return out;
}

std::string folder_time(std::string text) {
  std::erase(text, ':');
  std::erase(text, '-');
  return text;
}

// Runs one experiment into a folder of its own, which then takes its place: that of its name, or
// one among the invalid runs, which are kept.
class LabRun {
 public:
  LabRun(const Clock& clock, const LabOptions& options, std::uint64_t seed,
         const std::atomic<bool>& stopped)
      : clock_(clock), options_(options), seed_(seed), stopped_(stopped), out_(options.out) {}

  [[nodiscard]] Finding run(const Experiment& experiment) {
    const fs::path folder = out_ / (".running-" + std::string(experiment.name));
    const fs::path scratch =
        fs::temp_directory_path() / fmt::format("penstock-lab-{}-{}", ::getpid(), experiment.name);
    for (const fs::path& fresh : {folder, scratch}) {
      fs::remove_all(fresh);
      fs::create_directories(fresh);
    }
    Bench bench{.clock = clock_,
                .stopped = stopped_,
                .experiment = std::string(experiment.name),
                .program = options_.program,
                .evidence = folder,
                .scratch = scratch,
                .extent = options_.extent,
                .seed = seed_,
                .report = {}};
    const TimePoint begun = clock_.now();
    const WallTime at = std::chrono::floor<std::chrono::seconds>(clock_.wall());
    bench.say(experiment.about);
    check_nothing_is_left(bench);
    const Result<void> ran = experiment.run(bench);
    bench.report.check({.what = "it could be carried out",
                        .holds = ran.has_value(),
                        .seen = ran ? "" : sentence(ran.error())});
    const std::chrono::duration<double> took = clock_.now() - begun;
    Finding finding{.experiment = bench.experiment,
                    .folder = {},
                    .about = std::string(experiment.about),
                    .command = fmt::format("penstock lab {}{} --seed {}", bench.experiment,
                                           bench.extent == Extent::kShort ? " --short" : "", seed_),
                    .machine = machine_text(),
                    .version = options_.version,
                    .at = wall_time_text(at),
                    .seed = seed_,
                    .seconds = took.count(),
                    .report = std::move(bench.report)};
    bench.say(fmt::format("{} in {:.0f} s", name(finding.report.verdict()), took.count()));
    keep(finding, folder);
    if (finding.report.verdict() == Verdict::kPassed)
      fs::remove_all(scratch);
    else
      bench.say("logs are kept in " + scratch.string());
    return finding;
  }

  // Puts the sections of all evidence that is there together.
  void write_index() const {
    std::ofstream index(out_ / "index.md");
    index << index_head();
    for (const Experiment& one : experiments())
      index << file_text((out_ / one.name / "index.md").string());
    std::vector<fs::path> invalid;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(out_ / "invalid", none))
      invalid.push_back(entry.path());
    std::ranges::sort(invalid);
    for (const fs::path& folder : invalid) index << file_text((folder / "index.md").string());
  }

 private:
  static std::string sentence(const Error& error) {
    return error.message.empty() ? std::string(info(error.code).message) : error.message;
  }

  static void check_nothing_is_left(Bench& bench) {
    const std::vector<pid_t> left = left_from_earlier();
    bench.report.check(
        {.what = "nothing from an earlier run is alive",
         .holds = left.empty(),
         .seen = left.empty() ? "" : fmt::format("process {} of another lab", left.front())});
  }

  void keep(Finding& finding, const fs::path& folder) const {
    const bool valid = finding.report.verdict() != Verdict::kInvalid;
    finding.folder = valid ? finding.experiment
                           : "invalid/" + finding.experiment + "-" + folder_time(finding.at);
    std::ofstream(folder / "summary.json") << summary_json(finding);
    std::ofstream(folder / "index.md") << index_section(finding);
    const fs::path place = out_ / finding.folder;
    fs::remove_all(place);
    fs::create_directories(place.parent_path());
    fs::rename(folder, place);
  }

  const Clock& clock_;
  const LabOptions& options_;
  std::uint64_t seed_;
  const std::atomic<bool>& stopped_;
  fs::path out_;
};

int exit_code(const std::vector<Finding>& findings) {
  int code = 0;
  for (const Finding& finding : findings) {
    switch (finding.report.verdict()) {
      case Verdict::kPassed: break;
      case Verdict::kFailed: code = std::max(code, 1); break;
      case Verdict::kInvalid: code = kExitInvalid; break;
    }
  }
  return code;
}

}  // namespace

void list_experiments() {
  for (const Experiment& one : experiments()) fmt::print("{:<14}{}\n", one.name, one.about);
}

int run_lab(const Clock& clock, const LabOptions& options, const OnStop& on_stop) {
  const auto wanted = chosen(options.names);
  if (!wanted) return 1;
  const auto stopped = std::make_shared<std::atomic<bool>>(false);  // a stop may come late
  on_stop([stopped] { stopped->store(true); });
  runtime::raise_descriptor_limit();
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) {
    fmt::print(stderr, "penstock lab: cannot write {}: {}\n", options.out, error.message());
    return 1;
  }
  const std::uint64_t seed =
      options.seed != 0 ? options.seed : 1 + runtime::SystemRng().below(kSeedMax);
  fmt::print(stderr, "lab  seed {}; repeat with --seed {}\n", seed, seed);
  LabRun run(clock, options, seed, *stopped);
  std::vector<Finding> findings;
  for (const Experiment* const experiment : *wanted) {
    if (stopped->load()) break;
    findings.push_back(run.run(*experiment));
    run.write_index();
  }
  fmt::print("{}", result_table(findings));
  return stopped->load() ? kExitInvalid : exit_code(findings);
}

}  // namespace penstock::lab
