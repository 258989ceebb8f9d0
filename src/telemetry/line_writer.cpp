#include "telemetry/line_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

namespace penstock::telemetry {
namespace {

constexpr std::chrono::milliseconds kPatience = 50ms;  // between looks at whether to give up

// A pipe that poll() calls writable has room for this much, so a write cannot block.
// source: POSIX.1, <limits.h>, and pipe(7); Linux has the same value for PIPE_BUF.
constexpr std::size_t kPipeBytes = 4096;
constexpr std::size_t kFileBytes = 64 << 10;

// A reader that left must not end the process, and signals belong to the main thread.
void block_signals() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

LineWriter::Target LineWriter::target(int fd) noexcept {
  struct stat status{};
  if (fstat(fd, &status) != 0) return Target::kPipe;
  if (S_ISREG(status.st_mode)) return Target::kFile;
  return S_ISSOCK(status.st_mode) ? Target::kSocket : Target::kPipe;
}

LineWriter::LineWriter(int fd, LineWriterOptions options)
    : fd_(fd),
      options_(options),
      target_(target(fd)),
      half_bytes_(options.bytes_max / 2),
      chunk_bytes_(target_ == Target::kFile ? kFileBytes : kPipeBytes),
      filling_(std::make_unique_for_overwrite<char[]>(half_bytes_)),
      writing_(std::make_unique_for_overwrite<char[]>(half_bytes_)),
      filling_vital_{.at = std::make_unique_for_overwrite<std::uint32_t[]>(Ends::kMax)},
      writing_vital_{.at = std::make_unique_for_overwrite<std::uint32_t[]>(Ends::kMax)},
      thread_("log-writer", [this] { run(); }) {}

LineWriter::~LineWriter() { close(); }

void LineWriter::write(std::string_view line) noexcept {
  if (!take(line, Kind::kPlain)) dropped_.fetch_add(1, std::memory_order_relaxed);
}

void LineWriter::write_vital(std::string_view line) noexcept {
  if (!take(line, Kind::kVital)) dropped_vital_.fetch_add(1, std::memory_order_relaxed);
}

bool LineWriter::take(std::string_view line, Kind kind) noexcept {
  const bool vital = kind == Kind::kVital;
  const std::size_t needed = line.size() + 1 + (vital ? 0 : options_.vital_bytes);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (phase_.load(std::memory_order_relaxed) != Phase::kOpen ||
        needed > half_bytes_ - filled_bytes_ || (vital && filling_vital_.count == Ends::kMax))
      return false;
    wake = filled_bytes_ == 0;
    char* const at = filling_.get() + filled_bytes_;
    if (!line.empty()) std::memcpy(at, line.data(), line.size());
    at[line.size()] = '\n';
    filled_bytes_ += line.size() + 1;
    if (vital)
      filling_vital_.at[filling_vital_.count++] = static_cast<std::uint32_t>(filled_bytes_);
    taken_bytes_ += line.size() + 1;
  }
  if (wake) filled_.notify_one();
  return true;
}

bool LineWriter::flush(Duration at_most) {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = taken_bytes_;
  ++flushes_;
  filled_.notify_one();
  const bool done = written_.wait_for(lock, at_most, [&] { return done_bytes_ >= target; });
  --flushes_;
  return done;
}

void LineWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    phase_.store(Phase::kClosing, std::memory_order_relaxed);
  }
  filled_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LineWriter::run() {
  block_signals();
  const auto closing = [this] { return phase_.load(std::memory_order_relaxed) == Phase::kClosing; };
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [&] { return filled_bytes_ != 0 || closing(); });
    if (filled_bytes_ == 0) return;  // closing, and nothing is left
    filled_.wait_for(lock, options_.batch, [&] { return flushes_ != 0 || closing(); });
    std::swap(filling_, writing_);
    std::swap(filling_vital_, writing_vital_);
    filling_vital_.count = 0;
    const std::size_t bytes = std::exchange(filled_bytes_, 0);
    lock.unlock();
    write_out({writing_.get(), bytes});
    lock.lock();
    done_bytes_ += bytes;
    written_.notify_all();
  }
}

void LineWriter::write_out(std::string_view batch) {
  std::string_view bytes = batch;
  if (mid_line_ && wait_writable()) mid_line_ = write_some("\n") != 1;
  while (!bytes.empty()) {
    if (!wait_writable()) return drop_rest(batch, bytes);
    const std::ptrdiff_t sent = write_some(bytes.substr(0, chunk_bytes_));
    if (sent < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
    if (sent <= 0) return drop_rest(batch, bytes);
    mid_line_ = bytes[static_cast<std::size_t>(sent) - 1] != '\n';
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::ptrdiff_t LineWriter::write_some(std::string_view bytes) const noexcept {
  if (target_ == Target::kSocket)
    return ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return ::write(fd_, bytes.data(), bytes.size());
}

// Until the descriptor takes bytes; false when the writer is closing and has waited long enough.
bool LineWriter::wait_writable() {
  for (;;) {
    pollfd entry{.fd = fd_, .events = POLLOUT, .revents = 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(kPatience.count()));
    if (ready > 0) return true;  // on an error too: the write will name it
    if (ready < 0 && errno != EINTR) return false;
    if (phase_.load(std::memory_order_relaxed) != Phase::kClosing) continue;
    if (waited_closing_ >= options_.drain_max) return false;
    waited_closing_ += kPatience;
  }
}

void LineWriter::drop_rest(std::string_view batch, std::string_view rest) {
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(rest, '\n'));
  const std::span<const std::uint32_t> ends(writing_vital_.at.get(), writing_vital_.count);
  const auto lost = std::ranges::upper_bound(ends, batch.size() - rest.size());
  const auto vital = static_cast<std::uint64_t>(ends.end() - lost);
  dropped_.fetch_add(lines - vital, std::memory_order_relaxed);
  dropped_vital_.fetch_add(vital, std::memory_order_relaxed);
}

}  // namespace penstock::telemetry
