#include "lab/runner/proc.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <signal.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/units.h"
#include "runtime/system.h"

namespace penstock::lab {
namespace {

namespace fs = std::filesystem;

std::string proc_path(pid_t pid, std::string_view file) {
  return fmt::format("/proc/{}/{}", pid, file);
}

// The next word of `text`, which loses it.
std::string_view next_word(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) noexcept {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view next_line(std::string_view& text) noexcept {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

std::optional<pid_t> parent_of(pid_t pid) {
  const std::string stat = file_text(proc_path(pid, "stat"));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(stat).substr(name_end + 1);
  next_word(rest);
  return number<pid_t>(next_word(rest));
}

}  // namespace

std::optional<std::uint64_t> cpu_ticks(std::string_view stat) noexcept {
  const std::size_t name_end = stat.rfind(')');  // a name may have blanks and brackets
  if (name_end == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(name_end + 1);
  constexpr int kFieldsBefore = 11;  // state to cmajflt
  for (int i = 0; i < kFieldsBefore; ++i) next_word(stat);
  const auto user = number<std::uint64_t>(next_word(stat));
  const auto system = number<std::uint64_t>(next_word(stat));
  if (!user || !system) return std::nullopt;
  return *user + *system;
}

std::vector<std::uint64_t> listener_inodes(std::string_view table, std::uint16_t port) {
  std::vector<std::uint64_t> inodes;
  next_line(table);
  while (!table.empty()) {
    std::string_view line = next_line(table);
    next_word(line);
    const std::string_view local = next_word(line);
    next_word(line);
    const bool listens = next_word(line) == "0A";
    const std::size_t colon = local.find(':');
    if (!listens || colon == std::string_view::npos) continue;
    if (number<std::uint16_t>(local.substr(colon + 1), 16) != port) continue;
    for (int i = 0; i < 5; ++i) next_word(line);  // queues, timer, retransmits, uid, time-out
    if (const auto inode = number<std::uint64_t>(next_word(line))) inodes.push_back(*inode);
  }
  return inodes;
}

Duration process_cpu_time(pid_t pid) {
  const auto ticks = cpu_ticks(file_text(proc_path(pid, "stat")));
  const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return ticks ? std::chrono::milliseconds(*ticks * 1000 / per_second) : Duration::zero();
}

Duration own_cpu_time() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto time = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return time(usage.ru_utime) + time(usage.ru_stime);
}

std::uint64_t process_memory(pid_t pid) {
  std::string text = file_text(proc_path(pid, "statm"));
  std::string_view rest = text;
  next_word(rest);
  const auto pages = number<std::uint64_t>(next_word(rest));
  return pages.value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t process_descriptors(pid_t pid) {
  std::error_code gone;
  const fs::directory_iterator open(proc_path(pid, "fd"), gone);
  return gone ? 0 : static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

char process_state(pid_t pid) {
  const std::string stat = file_text(proc_path(pid, "stat"));
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

bool process_exists(pid_t pid) noexcept { return ::kill(pid, 0) == 0; }

std::vector<pid_t> left_from_earlier() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const auto pid = number<pid_t>(entry.path().filename().string());
    if (!pid || *pid == ::getpid() || parent_of(*pid) == ::getpid()) continue;
    if (file_text(proc_path(*pid, "environ")).contains(kLabMark)) found.push_back(*pid);
  }
  return found;
}

bool port_open(std::uint16_t port) {
  return !listener_inodes(file_text("/proc/net/tcp"), port).empty();
}

bool runs_program(pid_t pid, const std::string& path) {
  std::error_code none;
  const fs::path running = fs::read_symlink(proc_path(pid, "exe"), none);
  return !running.empty() && running == fs::canonical(path, none);
}

bool owns_port(pid_t pid, std::uint16_t port) {
  const auto inodes = listener_inodes(file_text("/proc/net/tcp"), port);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(proc_path(pid, "fd"), error)) {
    std::error_code gone;
    const std::string link = fs::read_symlink(entry.path(), gone).string();
    for (const std::uint64_t inode : inodes)
      if (link == fmt::format("socket:[{}]", inode)) return true;
  }
  return false;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string machine_text() {
  const std::string info = file_text("/proc/cpuinfo");
  std::string model = "unknown CPU";
  if (const std::size_t at = info.find("model name"); at != std::string::npos) {
    const std::size_t from = info.find(':', at) + 2;
    model = info.substr(from, info.find('\n', from) - from);
  }
  utsname system{};
  ::uname(&system);
  return fmt::format("{} x {}, Linux {}", runtime::cpus_allowed(), model, system.release);
}

}  // namespace penstock::lab
