#include "json/log_line.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/seams.h"

namespace penstock::json {
namespace {

class Lines final : public LogSink {
 public:
  void write(std::string_view line) noexcept override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

TEST(LogLine, IsOneObjectOnOneLineWhateverItHolds) {
  Lines log;
  LogLine(LogLevel::kWarn, "request failed")
      .with("detail", "a \"quote\"\nand a line\xff")
      .with("attempts", std::uint32_t{3})
      .write_to(log);
  LogLine(LogLevel::kInfo, "draining").write_to(log);
  ASSERT_EQ(log.lines.size(), 2U);
  EXPECT_EQ(log.lines[0],
            "{\"level\":\"warn\",\"msg\":\"request failed\","
            "\"detail\":\"a \\\"quote\\\"\\nand a line\xef\xbf\xbd\",\"attempts\":3}");
  EXPECT_EQ(log.lines[1], R"({"level":"info","msg":"draining"})");
}

}  // namespace
}  // namespace penstock::json
