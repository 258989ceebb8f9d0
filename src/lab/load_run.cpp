#include "lab/load_run.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/load.h"
#include "lab/load_target.h"
#include "lab/pacer.h"

namespace penstock::lab {
namespace {

constexpr std::uint32_t kConnectionsMax = 50'000;
constexpr Duration kLeadIn = 20ms;  // the threads start before the first arrival is due
constexpr std::uint32_t kWaitingMax = 1'000'000;

std::uint32_t connections(const LoadOptions& options) {
  return options.connections != 0 ? options.connections : kConnectionsMax;
}

std::vector<RatePhase> phases(const LoadOptions& options) {
  if (!options.phases.empty()) return options.phases;
  return {{options.rps, options.warm_up + options.duration}};
}

Duration whole_time(const LoadOptions& options) {
  Duration time{};
  for (const RatePhase& phase : phases(options)) time += phase.time;
  return time;
}

}  // namespace

Result<std::unique_ptr<RecordFile>> RecordFile::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr)
    return fail(ErrorCode::kInvalidRequest, "Cannot write " + path + ": " + std::strerror(errno));
  return std::unique_ptr<RecordFile>(new RecordFile(file));
}

RecordFile::~RecordFile() { ignore(std::fclose(file_), "nobody is left to be told"); }

void RecordFile::write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  ignore(std::fwrite(line.data(), 1, line.size(), file_), "a full disk ends no run");
}

LoadRun::LoadRun(const Clock& its_clock, const LoadOptions& its_options, LoadTarget its_target,
                 std::unique_ptr<RecordFile> its_records)
    : clock(its_clock),
      options(its_options),
      target(std::move(its_target)),
      origin{.host = target.url.host, .port = target.url.port, .tls = nullptr},
      start(clock.now() + (options.open_loop() ? kLeadIn : Duration::zero())),
      plan{.start = start, .phases = phases(options)},
      measured_from(start + options.warm_up),
      end(start + whole_time(options)),
      permits(connections(options), kWaitingMax),
      records(std::move(its_records)) {}

bool LoadRun::take_ticket() noexcept {
  if (options.requests_max == 0) return true;
  return tickets_.fetch_add(1, std::memory_order_relaxed) < options.requests_max;
}

}  // namespace penstock::lab
