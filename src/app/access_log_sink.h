#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/seams.h"
#include "telemetry/line_writer.h"

namespace penstock::app {

// Where the access log goes: stdout, stderr, off or file:path.
class AccessLogSink final : public LogSink {
 public:
  AccessLogSink() = default;
  ~AccessLogSink() override;
  AccessLogSink(const AccessLogSink&) = delete;
  AccessLogSink& operator=(const AccessLogSink&) = delete;

  // Before the first line. errors: kInvalidRequest when the file cannot be opened.
  [[nodiscard]] Result<void> open(const std::string& target);
  // Writes out what is left.
  void close();

  void write(std::string_view line) noexcept override {
    if (writer_) writer_->write(line);
  }
  [[nodiscard]] double dropped() const noexcept {
    return writer_ ? static_cast<double>(writer_->dropped()) : 0;
  }

 private:
  std::unique_ptr<telemetry::LineWriter> writer_;  // nullptr: off
  int file_ = -1;
};

}  // namespace penstock::app
