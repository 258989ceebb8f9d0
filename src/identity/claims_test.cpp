#include "identity/claims.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::identity {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::int64_t kAt = 1'800'000'000;
constexpr WallTime kNow{seconds(kAt)};

TokenRules rules() {
  return {.issuer = "https://idp.example/",
          .audience = "penstock",
          .tenant_claim = "tenant",
          .workload_claim = "https://example/workload",
          .tier_claim = "tier"};
}

// A good payload of an hour with these members behind it.
std::string payload(std::string_view more = "", std::int64_t expires = kAt + 3600) {
  return R"({"iss":"https://idp.example/","aud":"penstock","exp":)" + std::to_string(expires) +
         R"(,"tenant":"acme")" + std::string(more) + "}";
}

bool good(const std::string& text, WallTime now = kNow) {
  const Result<Claims> claims = read_claims(text, rules(), now);
  if (!claims) EXPECT_EQ(claims.error().code, ErrorCode::kUnauthenticated) << text;
  return claims.has_value();
}

std::string seconds_text(std::int64_t at) { return std::to_string(at); }

TEST(Claims, NameWhoCalls) {
  const Claims claims =
      read_claims(payload(R"(,"https://example/workload":"app","tier":"external","sub":"x\n")"),
                  rules(), kNow)
          .value();
  EXPECT_EQ(claims.tenant, "acme");
  EXPECT_EQ(claims.workload, "app");
  EXPECT_EQ(claims.tier, Tier::kExternal);
  const Claims few = read_claims(payload(), rules(), kNow).value();
  EXPECT_EQ(few.workload, std::nullopt);
  EXPECT_EQ(few.tier, std::nullopt);
}

// The last instant that is good and the first that is not, on both sides.
TEST(Claims, HaveExactlySixtySecondsOfLeeway) {
  const auto at = [](std::int64_t offset) { return kNow + microseconds(offset); };
  const std::string expiring = payload("", kAt);
  EXPECT_TRUE(good(expiring, at(59'999'999)));
  EXPECT_FALSE(good(expiring, at(60'000'000)));
  EXPECT_FALSE(good(expiring, at(61'000'000)));
  for (const std::string_view name : {"nbf", "iat"}) {
    const std::string future = payload(",\"" + std::string(name) + "\":" + seconds_text(kAt + 60));
    EXPECT_FALSE(good(future, at(-1))) << name;
    EXPECT_TRUE(good(future, at(0))) << name;
  }
  const Claims claims = read_claims(expiring, rules(), kNow).value();
  EXPECT_EQ(claims.good_until, kNow + seconds(60));
  EXPECT_TRUE(check_times(claims, at(59'999'999)));
  EXPECT_FALSE(check_times(claims, at(60'000'000)));
}

TEST(Claims, ReadAudiences) {
  const auto with = [](std::string_view audience) {
    std::string text = payload();
    text.replace(text.find(R"("penstock")"), 10, audience);
    return good(text);
  };
  EXPECT_TRUE(with(R"("penstock")"));
  EXPECT_TRUE(with(R"(["other","penstock"])"));
  EXPECT_TRUE(with(R"(["pen\u0073tock"])"));
  for (const char* bad :
       {R"("other")", R"(["other"])", "[]", R"({"penstock":1})", "null", "1", R"(["penstock",1])",
        R"([["penstock"]])", R"("penstock ")", R"("Penstock")", R"([null])", "true"})
    EXPECT_FALSE(with(bad)) << bad;
}

TEST(NumericDate, ReadsSecondsAndNothingElse) {
  EXPECT_EQ(numeric_date("0"), WallTime());
  EXPECT_EQ(numeric_date("1800000000"), kNow);
  EXPECT_EQ(numeric_date("1800000000.25"), kNow + microseconds(250'000));
  EXPECT_EQ(numeric_date("1800000000.1234569"), kNow + microseconds(123'456));
  EXPECT_EQ(numeric_date("253402300799"), WallTime(seconds(253'402'300'799)));
  for (const std::string_view bad :
       {"", "-1", "1e9", "1E9", "1.8e9", "253402300800", "9999999999999", "0x10", "+1", " 1", "1 ",
        "NaN", "1.1234567890", "99999999999999999999999999999999999999999"})
    EXPECT_EQ(numeric_date(bad), std::nullopt) << bad;
}

// A name that no configuration can have is not looked up, nor kept.
TEST(Claims, RefuseWhatIsNoName) {
  const auto tenant = [](std::string_view value) {
    std::string text = payload();
    text.replace(text.find(R"("acme")"), 6, value);
    return good(text);
  };
  EXPECT_TRUE(tenant(R"("acme")"));
  const std::string longest = '"' + std::string(64, 'a') + '"';
  EXPECT_TRUE(tenant(longest));
  EXPECT_FALSE(tenant(longest.substr(0, 65) + "a\""));
  for (const char* bad : {R"("")", "null", "1", R"(["acme"])", R"({"acme":1})", R"("a\r\nb")",
                          R"("acme\u0000")", R"("../acme")", R"("a b")", "true"})
    EXPECT_FALSE(tenant(bad)) << bad;
  for (const char* bad : {R"("https://example/workload":"")", R"("https://example/workload":null)",
                          R"("https://example/workload":["app"])", R"("tier":"gold")",
                          R"("tier":"Internal")", R"("tier":null)", R"("tier":["internal"])"})
    EXPECT_FALSE(good(payload("," + std::string(bad)))) << bad;
}

}  // namespace
}  // namespace penstock::identity
