#include "telemetry/access_log.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/outcome.h"
#include "base/units.h"

namespace penstock::telemetry {
namespace {

std::string line(const AccessRecord& record) {
  std::string out;
  append_line(out, record);
  return out;
}

WallTime at(std::int64_t micros) { return WallTime(std::chrono::microseconds(micros)); }

// The members and their order are a promise to whoever reads the log.
TEST(AccessLog, WritesEveryMember) {
  const AccessRecord record{.ts = at(1'700'000'000'123'999),
                            .call_id = "c1",
                            .request_id = "r1",
                            .tenant = "retail",
                            .workload = "support",
                            .key_id = "support-1",
                            .surface = "chat",
                            .model = "chat-default",
                            .provider = "stable",
                            .replica = "http://10.0.0.7:8000",
                            .attempts = 1,
                            .status = 504,
                            .code = ErrorCode::kUpstreamTimeout,
                            .outcome = Outcome::kTimeout,
                            .ttft = 1500us,
                            .duration = 2s,
                            .overhead = 41'999ns,
                            .queue = 0ns,
                            .tokens_in = Tokens{12},
                            .tokens_out = Tokens{18'446'744'073'709'551'615U},
                            .cost = NanoUsd{7},
                            .stop = "error",
                            .stream = true};
  EXPECT_EQ(line(record),
            R"({"ts":"2023-11-14T22:13:20.123Z","call_id":"c1","request_id":"r1",)"
            R"("tenant":"retail","workload":"support","key_id":"support-1","surface":"chat",)"
            R"("model":"chat-default","provider":"stable","replica":"http://10.0.0.7:8000",)"
            R"("attempts":1,"status":504,"code":"upstream_timeout","outcome":"timeout",)"
            R"("ttft_us":1500,"duration_us":2000000,"overhead_us":41,"queue_us":0,)"
            R"("tokens_in":12,"tokens_out":18446744073709551615,"cost_nano_usd":7,)"
            R"("stop":"error","stream":true})");
}

// What is not known is null, so that a line always has the same members.
TEST(AccessLog, WritesUnknownMembersAsNull) {
  EXPECT_EQ(line({}),
            R"({"ts":"1970-01-01T00:00:00.000Z","call_id":null,"request_id":null,)"
            R"("tenant":null,"workload":null,"key_id":null,"surface":null,"model":null,)"
            R"("provider":null,"replica":null,"attempts":0,"status":0,"code":null,)"
            R"("outcome":"ok","ttft_us":null,"duration_us":0,"overhead_us":0,"queue_us":0,)"
            R"("tokens_in":null,"tokens_out":null,"cost_nano_usd":null,"stop":null,)"
            R"("stream":false})");
}

// A client chooses the model's name: no byte of it may end the string, the object or the line.
TEST(AccessLog, LetsNoByteBreakTheLine) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = std::string("a") + static_cast<char>(byte) + "\",\"status\":1";
    const std::string text = line({.model = name});
    for (const char c : text) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << byte;
    EXPECT_EQ(text.find(R"(,"status":1)"), std::string::npos) << byte;
    EXPECT_NE(text.find(R"(\",\"status\":1","provider":null)"), std::string::npos) << text;
  }
}

// A long name is cut between characters: the line stays short and UTF-8.
TEST(AccessLog, CutsLongNamesBetweenCharacters) {
  const std::string euro = "\xE2\x82\xAC";
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string name(shift, 'x');
    while (name.size() < 300) name += euro;
    const std::string text = line({.model = name});
    EXPECT_LE(text.size(), 700U);
    EXPECT_EQ(text.find("\\ufffd"), std::string::npos);
    EXPECT_EQ(text.find("\xEF\xBF\xBD"), std::string::npos) << shift;
    EXPECT_NE(text.find(euro + "\",\"provider\""), std::string::npos) << text;
  }
}

// Days, leap years and the second before midnight.
TEST(AccessLog, WritesTimesOfTheCalendar) {
  const auto stamp = [](std::int64_t micros) { return line({.ts = at(micros)}).substr(7, 24); };
  EXPECT_EQ(stamp(951'782'399'999'999), "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(stamp(951'782'400'000'000), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(stamp(4'102'444'799'000'000), "2099-12-31T23:59:59.000Z");
  EXPECT_EQ(stamp(-1), "1969-12-31T23:59:59.999Z");
}

// A clock that jumped must not write a number that no reader takes.
TEST(AccessLog, ShowsANegativeDurationAsZero) {
  EXPECT_NE(line({.duration = -5s}).find(R"("duration_us":0)"), std::string::npos);
}

}  // namespace
}  // namespace penstock::telemetry
