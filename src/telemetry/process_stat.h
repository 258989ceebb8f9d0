#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock::telemetry {

// The members of /proc/PID/stat that are shown. Times in clock ticks.
struct ProcessStat {
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t start_ticks = 0;  // since boot
  std::uint64_t virtual_bytes = 0;
  std::uint64_t resident_pages = 0;
};

// Nullopt when the text is not what the manual promises. The process name, which may hold spaces
// and brackets, is skipped by its last bracket.
// source: proc(5), /proc/[pid]/stat.
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view text) noexcept;

// The boot time out of /proc/stat, in seconds since 1970.
[[nodiscard]] std::optional<std::uint64_t> parse_boot_time(std::string_view text) noexcept;

}  // namespace penstock::telemetry
