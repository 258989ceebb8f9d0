#include "json/log_line.h"

#include <string_view>

#include "base/seams.h"

namespace penstock::json {

LogLine::LogLine(LogLevel level, std::string_view msg) {
  writer_.begin_object();
  with("level", level == LogLevel::kWarn ? "warn" : "info").with("msg", msg);
}

LogLine& LogLine::with(std::string_view key, std::string_view text) {
  writer_.key(key).string(text);
  return *this;
}

void LogLine::write_to(LogSink& log) {
  writer_.end_object();
  log.write(line_);
}

}  // namespace penstock::json
