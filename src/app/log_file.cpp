#include "app/log_file.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/error_code.h"
#include "base/result.h"
#include "telemetry/line_writer.h"

namespace penstock::app {
namespace {

// Some 500 audit lines, for the 10 ms in which lines gather.
constexpr std::size_t kVitalBytes = 256 << 10;

}  // namespace

LogFile::~LogFile() { close(); }

Result<void> LogFile::open(const std::string& target) {
  if (target == "off") return {};
  int descriptor = target == "stderr" ? STDERR_FILENO : STDOUT_FILENO;
  if (target.starts_with("file:")) {
    const std::string path = target.substr(5);
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (file_ < 0)
      return fail(ErrorCode::kInvalidRequest,
                  "cannot open the log " + path + ": " + std::strerror(errno));
    descriptor = file_;
  }
  telemetry::LineWriterOptions options;
  options.drain_max = 250ms;  // two of them must fit into the time to leave
  options.vital_bytes = kVitalBytes;
  writer_ = std::make_unique<telemetry::LineWriter>(descriptor, options);
  return {};
}

void LogFile::close() {
  if (writer_) writer_->close();
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace penstock::app
