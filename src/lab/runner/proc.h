#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/units.h"

// What Linux tells about processes and sockets, read from /proc.
namespace penstock::lab {

// User and system time in a /proc/PID/stat line, in ticks; nullopt when it is none.
// source: proc_pid_stat(5), fields 14 and 15.
[[nodiscard]] std::optional<std::uint64_t> cpu_ticks(std::string_view stat) noexcept;
// The inodes of TCP sockets that listen on this port, from the text of /proc/net/tcp.
[[nodiscard]] std::vector<std::uint64_t> listener_inodes(std::string_view table,
                                                         std::uint16_t port);

// Zero for a process that is gone.
[[nodiscard]] Duration process_cpu_time(pid_t pid);
// Of the calling process.
[[nodiscard]] Duration own_cpu_time() noexcept;
// Resident memory in bytes; 0 when it is gone.
[[nodiscard]] std::uint64_t process_memory(pid_t pid);
[[nodiscard]] std::size_t process_descriptors(pid_t pid);
[[nodiscard]] bool process_exists(pid_t pid) noexcept;
// Its state as ps shows it ('T': stopped by a signal); 0 when it is gone.
[[nodiscard]] char process_state(pid_t pid);

// The environment entry that every process of a lab bears, so that a later lab knows what an
// earlier one left behind.
inline constexpr std::string_view kLabMark = "PENSTOCK_LAB=child";
// Processes that bear it and are no children of this one.
[[nodiscard]] std::vector<pid_t> left_from_earlier();

// Whether anything listens on 127.0.0.1:port.
[[nodiscard]] bool port_open(std::uint16_t port);
// Whether it runs this program, whatever its path says on the way there.
[[nodiscard]] bool runs_program(pid_t pid, const std::string& path);
// Whether a listening socket of that port belongs to this process.
[[nodiscard]] bool owns_port(pid_t pid, std::uint16_t port);

// A file, read whole; empty when it cannot be.
[[nodiscard]] std::string file_text(const std::string& path);
// "cpu model, n CPUs, kernel" for the evidence.
[[nodiscard]] std::string machine_text();

}  // namespace penstock::lab
