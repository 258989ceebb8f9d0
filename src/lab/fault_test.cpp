#include "lab/fault.h"

#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"

namespace penstock::lab {
namespace {

// Every name of docs/reference/mock-faults.md, with a value it takes, reaches its member.
TEST(Fault, ReadsEveryName) {
  const Result<Fault> fault = parse_fault(
      R"({"latency_ms":1,"first_token_ms":2,"inter_token_ms":3,"status":503,"body":"x\n",)"
      R"("error_rate":0.25,"refuse":4,"reset_after_bytes":0,"hang":true,"cut_after_chunks":5,)"
      R"("stall_after_chunks":6,"malformed_event_at":7,"missing_done":true,)"
      R"("missing_finish":true,"usage":"every","crlf":true,"comments":true,)"
      R"("one_byte_packets":true,"error_event_at":8,"healthy_but_failing":true,)"
      R"("multi_line_data":true,"slots":9,"tokens":10})");
  ASSERT_TRUE(fault.has_value()) << fault.error().message;
  EXPECT_EQ(fault->latency, 1ms);
  EXPECT_EQ(fault->first_token, 2ms);
  EXPECT_EQ(fault->inter_token, 3ms);
  EXPECT_EQ(fault->status, 503U);
  EXPECT_EQ(fault->body, "x\n");
  EXPECT_EQ(fault->error_millionths, 250'000U);
  EXPECT_EQ(fault->refuse, 4U);
  EXPECT_EQ(fault->reset_after_bytes, 0U);
  EXPECT_EQ(fault->cut_after_chunks, 5U);
  EXPECT_EQ(fault->stall_after_chunks, 6U);
  EXPECT_EQ(fault->malformed_event_at, 7U);
  EXPECT_EQ(fault->error_event_at, 8U);
  EXPECT_EQ(fault->slots, 9U);
  EXPECT_EQ(fault->tokens, 10U);
  EXPECT_EQ(fault->usage, UsageFault::kEvery);
  EXPECT_TRUE(fault->hang && fault->missing_done && fault->missing_finish && fault->crlf &&
              fault->comments && fault->one_byte_packets && fault->healthy_but_failing &&
              fault->multi_line_data);
}

// An empty object is no fault at all: that is how they are cleared.
TEST(Fault, ReadsNoneFromAnEmptyObject) {
  const Result<Fault> fault = parse_fault("{}");
  ASSERT_TRUE(fault.has_value());
  EXPECT_FALSE(fault->status || fault->hang || fault->error_millionths || fault->slots);
}

// A mistyped name would silently test nothing.
TEST(Fault, NamesTheNearestOfAnUnknownName) {
  const Result<Fault> fault = parse_fault(R"({"latencyms":1})");
  ASSERT_FALSE(fault.has_value());
  EXPECT_EQ(fault.error().code, ErrorCode::kInvalidRequest);
  EXPECT_NE(fault.error().hint.find("latency_ms"), std::string::npos);
}

// Values of the wrong type or out of range are refused, each by its name.
TEST(Fault, RefusesValuesThatANameDoesNotTake) {
  const std::pair<std::string, std::string> cases[] = {
      {"latency_ms", "-1"},    {"latency_ms", "1.5"},  {"latency_ms", "86400001"},
      {"latency_ms", "\"1\""}, {"status", "199"},      {"status", "600"},
      {"error_rate", "1.01"},  {"error_rate", "-0.1"}, {"error_rate", "true"},
      {"hang", "1"},           {"usage", "\"some\""},  {"usage", "1"},
      {"slots", "0"},          {"tokens", "0"},        {"refuse", "null"}};
  for (const auto& [name, value] : cases) {
    const std::string json = std::string("{\"").append(name).append("\":").append(value);
    const Result<Fault> fault = parse_fault(json + "}");
    ASSERT_FALSE(fault.has_value()) << name << ' ' << value;
    EXPECT_EQ(fault.error().param, name);
  }
  EXPECT_EQ(parse_fault("[]").error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(parse_fault("{\"hang\":true").error().code, ErrorCode::kInvalidJson);
}

// error_rate fails about that share, and always the same requests.
TEST(Fault, FailsTheShareOfRequestsItWasTold) {
  Fault fault;
  EXPECT_FALSE(fault.fails(0));
  fault.error_millionths = 250'000;
  int failed = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) failed += fault.fails(i) ? 1 : 0;
  EXPECT_NEAR(failed, 2500, 200);
  fault.error_millionths = 1'000'000;
  EXPECT_TRUE(fault.fails(1) && fault.fails(2));
  fault.error_millionths = 0;
  EXPECT_FALSE(fault.fails(1) || fault.fails(2));
}

}  // namespace
}  // namespace penstock::lab
