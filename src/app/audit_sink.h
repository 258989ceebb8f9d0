#pragma once

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

  void write(std::string_view line) noexcept override { stream_.write_vital(line); }
  [[nodiscard]] double dropped() const noexcept { return stream_.dropped_vital(); }

 private:
  LogFile& stream_;
};

}  // namespace penstock::app
