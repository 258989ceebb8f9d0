#include "base/quantity_text.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"

namespace penstock {
namespace {

using enum QuantityFault;

TEST(ParseCount, TakesDigitsOnly) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_count("9223372036854775808"), std::unexpected(kTooLarge));
  for (const char* text : {"", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "1_000", "lots"})
    EXPECT_EQ(parse_count(text), std::unexpected(kNotANumber)) << text;
}

TEST(ParseCount, TakesNumbersWithinBoundsOnly) {
  EXPECT_EQ(parse_count_within("1", 1, 65535), 1U);
  EXPECT_EQ(parse_count_within("65535", 1, 65535), 65535U);
  for (const char* text : {"", "0", "65536", "4294967297", "9223372036854775808", "-1", "1 "})
    EXPECT_EQ(parse_count_within(text, 1, 65535), std::nullopt) << text;
}

TEST(ParseDuration, NeedsAUnit) {
  EXPECT_EQ(parse_duration("50ms"), Duration(50ms));
  EXPECT_EQ(parse_duration("10m"), Duration(10min));
  EXPECT_EQ(parse_duration("24h"), Duration(24h));
  EXPECT_EQ(parse_duration("0s"), Duration(0));
  EXPECT_EQ(parse_duration("60"), std::unexpected(kNoUnit));
  EXPECT_EQ(parse_duration("60 s"), std::unexpected(kUnknownUnit));
  EXPECT_EQ(parse_duration("60S"), std::unexpected(kUnknownUnit));
  EXPECT_EQ(parse_duration("1.5s"), std::unexpected(kUnknownUnit));
  EXPECT_EQ(parse_duration("s"), std::unexpected(kNotANumber));
  EXPECT_EQ(parse_duration("-1s"), std::unexpected(kNotANumber));
  EXPECT_EQ(parse_duration("106751d"), Duration(24h) * 106751);
  EXPECT_EQ(parse_duration("106752d"), std::unexpected(kTooLarge));  // beyond 2^63 ns
}

TEST(ParseBytes, CountsInPowersOf1024) {
  EXPECT_EQ(parse_bytes("1B"), 1_B);
  EXPECT_EQ(parse_bytes("64KiB"), 64_KiB);
  EXPECT_EQ(parse_bytes("32MiB"), 32_MiB);
  EXPECT_EQ(parse_bytes("1GiB"), 1_GiB);
  EXPECT_EQ(parse_bytes("1"), std::unexpected(kNoUnit));
  EXPECT_EQ(parse_bytes("1MB"), std::unexpected(kUnknownUnit));
  EXPECT_EQ(parse_bytes("9000000000GiB"), std::unexpected(kTooLarge));
}

TEST(ParseRatio, KeepsFourPlaces) {
  EXPECT_EQ(parse_ratio("10%"), Ratio{100'000});
  EXPECT_EQ(parse_ratio("0.5%"), Ratio{5'000});
  EXPECT_EQ(parse_ratio("0.0001%"), Ratio{1});
  EXPECT_EQ(parse_ratio("100000%"), Ratio{1'000'000'000});
  EXPECT_EQ(parse_ratio("100001%"), std::unexpected(kTooLarge));
  EXPECT_EQ(parse_ratio("0.00001%"), std::unexpected(kNotANumber));
  EXPECT_EQ(parse_ratio("1.%"), std::unexpected(kNotANumber));
  EXPECT_EQ(parse_ratio(".5%"), std::unexpected(kNotANumber));
  EXPECT_EQ(parse_ratio("10"), std::unexpected(kNoUnit));
  EXPECT_EQ(parse_ratio("10%%"), std::unexpected(kUnknownUnit));
}

// The unit stays what it was written in: a bucket may hold one whole unit of its rate.
TEST(ParsePerTime, NeedsAUnitOfTime) {
  EXPECT_EQ(parse_per_time("100/s"), (PerTime{100, Per::kSecond}));
  EXPECT_EQ(parse_per_time("200k/min"), (PerTime{200'000, Per::kMinute}));
  EXPECT_EQ(parse_per_time("3M/h"), (PerTime{3'000'000, Per::kHour}));
  EXPECT_EQ(parse_per_time("1000000M/s"), (PerTime{PerTime::kCountMax, Per::kSecond}));
  EXPECT_EQ(parse_per_time("1000001M/s"), std::unexpected(kTooLarge));
  EXPECT_EQ(parse_per_time("100"), std::unexpected(kNoUnit));
  for (const char* text : {"100s", "100/", "100/m", "100/sec", "100/S", "1 /s", "1/ s", "1.5/s",
                           "1K/s", "1kk/s", "1/s/s", "1/d"})
    EXPECT_EQ(parse_per_time(text), std::unexpected(kUnknownUnit)) << text;
  for (const char* text : {"", "/s", "-1/s", "k/s", "lots"})
    EXPECT_EQ(parse_per_time(text), std::unexpected(kNotANumber)) << text;
}

// Ranges are judged by this number, and what is shown is made from it.
TEST(PerTime, ItsNumberGrowsWithTheRateAndKeepsTheUnit) {
  for (const PerTime rate : {PerTime{0, Per::kHour}, PerTime{1, Per::kHour},
                             PerTime{7, Per::kMinute}, PerTime{PerTime::kCountMax, Per::kSecond}})
    EXPECT_EQ(PerTime::of_number(rate.number()), rate);
  EXPECT_LT((PerTime{59, Per::kMinute}).number(), (PerTime{1, Per::kSecond}).number());
  EXPECT_GT((PerTime{61, Per::kMinute}).number(), (PerTime{1, Per::kSecond}).number());
  const Rule rule = range(PerTime{1, Per::kMinute}, PerTime{1, Per::kSecond});
  EXPECT_LE(rule.low, (PerTime{60, Per::kHour}).number());
  EXPECT_GT(rule.low, (PerTime{59, Per::kHour}).number());
  EXPECT_GE(rule.high, (PerTime{3600, Per::kHour}).number());
  EXPECT_LT(rule.high, (PerTime{3601, Per::kHour}).number());
  EXPECT_EQ(PerTime::of_number(rule.high), (PerTime{1, Per::kSecond}));
}

// Every cut of a moment is wrong, and so is a day that no calendar has.
TEST(ParseWallTime, TakesWholeMomentsInUtcOnly) {
  const std::string whole = "2027-06-30T12:34:56Z";
  const Parsed<WallTime> parsed = parse_wall_time(whole);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(wall_time_text(*parsed), whole);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(parse_wall_time(whole.substr(0, cut))) << cut;
  EXPECT_EQ(parse_wall_time("1970-01-01T00:00:00Z"), WallTime{});
  for (const char* text :
       {"2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-00-01T00:00:00Z",
        "2027-06-30T24:00:00Z", "2027-06-30T00:60:00Z", "2027-06-30T00:00:60Z",
        "2027-06-30T00:00:00+01:00", "2027-06-30 00:00:00Z", "1969-12-31T23:59:59Z", "2027-06-30"})
    EXPECT_FALSE(parse_wall_time(text)) << text;
}

// `config show` prints these texts, and what it prints must load again.
TEST(QuantityText, ReadsBackAlike) {
  for (const Duration value : {Duration(0), Duration(1), Duration(1500us), Duration(1500ms),
                               Duration(15s), Duration(600s), Duration(24h), Duration(90min)})
    EXPECT_EQ(parse_duration(duration_text(value)), value) << duration_text(value);
  for (const Bytes value : {0_B, 1_B, 1023_B, 1_KiB, 1536_KiB, 32_MiB, 3_GiB})
    EXPECT_EQ(parse_bytes(bytes_text(value)), value) << bytes_text(value);
  for (const Ratio value : {Ratio{0}, Ratio{1}, Ratio{5'000}, Ratio{100'000}, Ratio{1'000'000}})
    EXPECT_EQ(parse_ratio(ratio_text(value)), value) << ratio_text(value);
  for (const PerTime value : {PerTime{1, Per::kMinute}, PerTime{1000, Per::kSecond},
                              PerTime{1500, Per::kHour}, PerTime{2'000'000, Per::kMinute}})
    EXPECT_EQ(parse_per_time(per_time_text(value)), value) << per_time_text(value);
}

// People write 600s and 24h, so that is what they are shown.
TEST(QuantityText, UsesTheUnitsThatPeopleUse) {
  EXPECT_EQ(duration_text(600s), "600s");
  EXPECT_EQ(duration_text(15s), "15s");
  EXPECT_EQ(duration_text(24h), "24h");
  EXPECT_EQ(bytes_text(32_MiB), "32MiB");
  EXPECT_EQ(ratio_text(Ratio{5'000}), "0.5%");
  EXPECT_EQ(per_time_text({200'000, Per::kMinute}), "200k/min");
}

}  // namespace
}  // namespace penstock
