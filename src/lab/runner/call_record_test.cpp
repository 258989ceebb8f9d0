#include "lab/runner/call_record.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/result.h"

namespace penstock::lab {
namespace {

constexpr const char* kRecords =
    R"({"start_us":2000,"late_us":5,"try":2,"status":503,"ttft_us":null,"total_us":700,"bytes":2,)"
    R"("chunks":1,"error":"status","code":"overloaded","request_id":"b"})"
    "\n"
    R"({"start_us":1000,"late_us":3,"try":1,"status":200,"ttft_us":400,"total_us":900,"bytes":9,)"
    R"("chunks":1,"error":null,"code":"","request_id":"a"})"
    "\n";

// A record and the log's line of the same request become one row, oldest first.
TEST(CallRecord, IsJoinedWithTheAccessLog) {
  Result<Calls> calls = read_calls(kRecords, 50'000);
  ASSERT_TRUE(calls.has_value());
  ASSERT_EQ(calls->size(), 2U);
  const std::string log =
      R"({"request_id":"a","provider":"stable","replica":"127.0.0.1:9","attempts":2,)"
      R"("duration_us":880,"overhead_us":30,"queue_us":50})"
      "\n"
      R"({"request_id":"of somebody else","provider":"x","replica":null})"
      "\n";
  ASSERT_TRUE(join_access_log(*calls, log, {{"127.0.0.1:9", "stable-1"}}).has_value());
  const CallRecord& served = calls->front();
  EXPECT_EQ(served.start, 51'000);
  EXPECT_TRUE(served.ok());
  EXPECT_EQ(served.log_lines, 1U);
  EXPECT_EQ(served.replica, "stable-1");
  EXPECT_EQ(served.attempts, 2U);
  EXPECT_DOUBLE_EQ(served.upstream_ms(), 0.8);
  const CallRecord& refused = calls->back();
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(refused.log_lines, 0U);
  EXPECT_EQ(refused.attempt, 2U);
  EXPECT_EQ(csv_table(*calls, 50'000, 10).text,
            "start_us,late_us,ttft_us,total_us,try,status,end,code,provider,replica,attempts,"
            "queue_us,overhead_us\n"
            "1000,3,400,900,1,200,ok,,stable,stable-1,2,50,30\n"
            "2000,5,,700,2,503,status,overloaded,,,0,0,0\n");
}

// A line that is cut short is no evidence.
TEST(CallRecord, RefusesABrokenLine) {
  EXPECT_FALSE(read_calls("{\"start_us\":1", 0).has_value());
  Calls calls;
  EXPECT_FALSE(join_access_log(calls, "nonsense\n", {}).has_value());
}

// Many rows are thinned evenly; few failures among them are kept, all of them.
TEST(CsvTable, ThinsRowsAndKeepsFailures) {
  Calls calls(100);
  calls[3].end = "timeout";
  const CsvTable table = csv_table(calls, 0, 10);
  EXPECT_EQ(table.every, 10U);
  EXPECT_EQ(std::ranges::count(table.text, '\n'), 1 + 10 + 1);
  for (CallRecord& call : calls) call.end = "status";
  EXPECT_EQ(std::ranges::count(csv_table(calls, 0, 10).text, '\n'), 1 + 10);
}

}  // namespace
}  // namespace penstock::lab
