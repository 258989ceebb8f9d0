#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/seams.h"
#include "telemetry/line_writer.h"

namespace penstock::app {

// Where a log goes: stdout, stderr, off or file:path. Lines leave on a thread of their own.
class LogFile final : public LogSink {
 public:
  LogFile() = default;
  ~LogFile() override;
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Before the first line. errors: kInvalidRequest when the file cannot be opened.
  [[nodiscard]] Result<void> open(const std::string& target);
  // Writes out what is left.
  void close();

  void write(std::string_view line) noexcept override {
    if (writer_) writer_->write(line);
  }
  void write_vital(std::string_view line) noexcept {
    if (writer_) writer_->write_vital(line);
  }
  [[nodiscard]] double dropped() const noexcept {
    return writer_ ? static_cast<double>(writer_->dropped()) : 0;
  }
  [[nodiscard]] double dropped_vital() const noexcept {
    return writer_ ? static_cast<double>(writer_->dropped_vital()) : 0;
  }

 private:
  std::unique_ptr<telemetry::LineWriter> writer_;  // nullptr: off
  int file_ = -1;
};

}  // namespace penstock::app
