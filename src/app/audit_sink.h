#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "app/log_file.h"
#include "base/seams.h"

namespace penstock::app {

// The audit log's way into the stream it goes to, which it may share with another log: a place in
// its buffer that others cannot take, and a count of its own. Any thread.
class AuditSink final : public LogSink {
 public:
  // stream: outlives it.
  explicit AuditSink(LogFile& stream) noexcept : stream_(stream) {}

  void write(std::string_view line) noexcept override {
    if (!stream_.write_vital(line)) dropped_.fetch_add(1, std::memory_order_relaxed);
  }
  // Lines that found no place. What could not be written out is the stream's own count.
  [[nodiscard]] double dropped() const noexcept {
    return static_cast<double>(dropped_.load(std::memory_order_relaxed));
  }

 private:
  LogFile& stream_;
  std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace penstock::app
