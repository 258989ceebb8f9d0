#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/seams.h"
#include "json/writer.h"

namespace penstock::json {

enum class LogLevel : std::uint8_t { kInfo, kWarn };

// One line of the log that operators read: an object with `level`, `msg`, then what it is about.
//
//   json::LogLine(json::LogLevel::kWarn, "replica unhealthy").with("replica", name).write_to(log);
class LogLine {
 public:
  LogLine(LogLevel level, std::string_view msg);
  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;
  ~LogLine() = default;

  // Any bytes; never a prompt, a reply or a secret.
  LogLine& with(std::string_view key, std::string_view text);
  LogLine& with(std::string_view key, std::integral auto number) {
    writer_.key(key).integer(number);
    return *this;
  }

  // Ends the line. Once; nothing is added afterwards.
  void write_to(LogSink& log);

 private:
  std::string line_;
  Writer writer_{line_};
};

}  // namespace penstock::json
