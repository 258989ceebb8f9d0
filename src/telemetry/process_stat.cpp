#include "telemetry/process_stat.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace penstock::telemetry {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) noexcept {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  ProcessStat stat;
  constexpr int kLast = 24;
  for (int field = 3; field <= kLast; ++field) {  // numbered as in the manual
    if (!text.starts_with(' ')) return std::nullopt;
    text.remove_prefix(1);
    const std::string_view value = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(value.size());
    std::uint64_t* const target = field == 14   ? &stat.user_ticks
                                  : field == 15 ? &stat.system_ticks
                                  : field == 22 ? &stat.start_ticks
                                  : field == 23 ? &stat.virtual_bytes
                                  : field == 24 ? &stat.resident_pages
                                                : nullptr;
    if (target == nullptr) continue;
    const auto number = whole_number(value);
    if (!number) return std::nullopt;
    *target = *number;
  }
  return stat;
}

std::optional<std::uint64_t> parse_boot_time(std::string_view text) noexcept {
  constexpr std::string_view kKey = "\nbtime ";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kKey.size());
  return whole_number(text.substr(0, text.find('\n')));
}

}  // namespace penstock::telemetry
