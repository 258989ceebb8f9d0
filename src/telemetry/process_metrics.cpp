#include "telemetry/process_metrics.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "base/metric.h"
#include "base/metric_source.h"
#include "telemetry/process_stat.h"

namespace penstock::telemetry {
namespace {

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Open descriptors, the one that reads the directory not counted.
std::optional<double> open_descriptors() {
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/self/fd", error);
  std::size_t count = 0;
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) ++count;
  if (error || count == 0) return std::nullopt;
  return static_cast<double>(count - 1);
}

std::optional<double> descriptors_max() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

void show(MetricSink& sink, const MetricFamily& family, std::optional<double> value) {
  sink.family(family);
  if (value) sink.sample(std::span<const std::string_view>(), *value);
}

}  // namespace

void ProcessMetrics::collect(MetricSink& sink) const {
  using enum MetricKind;
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto stat = parse_process_stat(read_file("/proc/self/stat"));
  const auto boot = parse_boot_time(read_file("/proc/stat"));
  const auto of_stat = [&](auto&& value) {
    return stat ? std::optional(value(*stat)) : std::nullopt;
  };
  show(sink, {"process_cpu_seconds_total", kCounter, {}, "User and system CPU time."},
       of_stat([&](const ProcessStat& s) {
         return static_cast<double>(s.user_ticks + s.system_ticks) / ticks;
       }));
  show(sink, {"process_resident_memory_bytes", kGauge, {}, "Resident memory."},
       of_stat([&](const ProcessStat& s) { return static_cast<double>(s.resident_pages) * page; }));
  show(sink, {"process_virtual_memory_bytes", kGauge, {}, "Virtual memory."},
       of_stat([&](const ProcessStat& s) { return static_cast<double>(s.virtual_bytes); }));
  show(sink, {"process_open_fds", kGauge, {}, "Open file descriptors."}, open_descriptors());
  show(sink, {"process_max_fds", kGauge, {}, "The soft limit of open file descriptors."},
       descriptors_max());
  std::optional<double> start;
  if (stat && boot)
    start = static_cast<double>(*boot) + static_cast<double>(stat->start_ticks) / ticks;
  show(sink,
       {"process_start_time_seconds", kGauge, {}, "When the process started, since 1970 in UTC."},
       start);
}

BuildInfo::BuildInfo(std::string version) : version_(std::move(version)) {}

void BuildInfo::collect(MetricSink& sink) const {
  static constexpr std::string_view kLabels[] = {"version", "compiler"};
  sink.family({"penstock_build_info", MetricKind::kGauge, kLabels, "What is running; always 1."});
  const std::string_view values[] = {version_, __VERSION__};
  sink.sample(values, 1.0);
}

}  // namespace penstock::telemetry
