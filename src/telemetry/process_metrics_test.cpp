#include "telemetry/process_metrics.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/metric_source.h"
#include "telemetry/exposition.h"
#include "telemetry/process_stat.h"

namespace penstock::telemetry {
namespace {

constexpr std::string_view kStat =
    "4242 (a) b (c) S 1 4242 4242 0 -1 4194560 2000 0 3 0 150 50 0 0 20 0 5 0 7700 104857600 2560 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 17410 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

// A process may be named like the rest of the line.
TEST(ProcessStat, SkipsANameWithBracketsAndSpaces) {
  const auto stat = parse_process_stat(kStat);
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->user_ticks, 150U);
  EXPECT_EQ(stat->system_ticks, 50U);
  EXPECT_EQ(stat->start_ticks, 7700U);
  EXPECT_EQ(stat->virtual_bytes, 104857600U);
  EXPECT_EQ(stat->resident_pages, 2560U);
}

// A short read shows no value, never a wrong one, until the last member is complete.
TEST(ProcessStat, RefusesEveryTruncationBeforeItsLastMember) {
  const std::size_t last = kStat.find(" 2560 ") + 1;
  for (std::size_t cut = 0; cut < last; ++cut)
    EXPECT_FALSE(parse_process_stat(kStat.substr(0, cut)).has_value()) << cut;
  EXPECT_TRUE(parse_process_stat(kStat.substr(0, last + 4)).has_value());
}

// Numbers are read strictly.
TEST(ProcessStat, RefusesWhatIsNotANumber) {
  for (const std::string_view bad : {"-1", "x", "1x", "99999999999999999999"}) {
    std::string text(kStat);
    text.replace(text.find("7700"), 4, bad);
    EXPECT_FALSE(parse_process_stat(text).has_value()) << bad;
  }
}

// The key must stand at the start of its line.
TEST(ProcessStat, FindsTheBootTime) {
  EXPECT_EQ(parse_boot_time("cpu 1\nxbtime 5\nbtime 1700000000\nprocesses 9\n"), 1700000000U);
  EXPECT_EQ(parse_boot_time("cpu 1\n"), std::nullopt);
  EXPECT_EQ(parse_boot_time("cpu 1\nbtime soon\n"), std::nullopt);
}

// On the system that the tests run on, every row has a value.
TEST(ProcessMetrics, ShowsThisProcess) {
  const ProcessMetrics process;
  const std::array<const MetricSource*, 1> sources{&process};
  const std::string text = render_exposition(sources);
  for (const std::string_view name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                                      "process_virtual_memory_bytes", "process_open_fds",
                                      "process_max_fds", "process_start_time_seconds"})
    EXPECT_NE(text.find("\n" + std::string(name) + " "), std::string::npos) << name;
}

}  // namespace
}  // namespace penstock::telemetry
