#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "lab/load.h"
#include "lab/load_target.h"
#include "lab/pacer.h"
#include "net/connection_permits.h"
#include "net/dialer.h"

namespace penstock::lab {

// A file that gets a line a request. Thread-safe.
class RecordFile {
 public:
  // errors: kInvalidRequest when it cannot be written.
  [[nodiscard]] static Result<std::unique_ptr<RecordFile>> open(const std::string& path);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  void write(std::string_view line);

 private:
  explicit RecordFile(std::FILE* file) noexcept : file_(file) {}
  std::mutex mutex_;
  std::FILE* file_;
};

// What the threads of one run share.
class LoadRun {
 public:
  // Requests that are open at the end get this long; then they are left as unfinished.
  static constexpr Duration kDrainMax = 10s;
  static constexpr std::uint32_t kUnderWayMax = 50'000;

  LoadRun(const Clock& its_clock, const LoadOptions& its_options, LoadTarget its_target,
          std::unique_ptr<RecordFile> its_records);

  // Whether one more request may begin; it then counts.
  [[nodiscard]] bool take_ticket() noexcept;
  // Nothing begins any more.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool over() const noexcept {
    return stopped_.load(std::memory_order_relaxed) || clock.now() >= end;
  }
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  // Whether a request with this intended start counts.
  [[nodiscard]] bool measured(TimePoint intended) const noexcept {
    return intended >= measured_from;
  }

  const Clock& clock;
  const LoadOptions& options;
  const LoadTarget target;
  net::Origin origin;
  const TimePoint start;
  const ArrivalPlan plan;  // of an open loop
  const TimePoint measured_from;
  const TimePoint end;
  net::ConnectionPermits permits;
  const std::unique_ptr<RecordFile> records;  // may be null

  // For the progress line.
  std::atomic<std::uint64_t> ended = 0;
  std::atomic<std::uint64_t> failed = 0;

 private:
  std::atomic<std::uint64_t> tickets_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace penstock::lab
