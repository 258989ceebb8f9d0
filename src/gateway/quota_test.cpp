#include "gateway/quota.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "control/rate_bucket.h"
#include "gateway/caller_limits.h"
#include "gateway/identify.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "identity/auth_config.h"
#include "tests/support/scope_rig.h"

namespace penstock::gateway {
namespace {

control::BucketShape burst_of_per_second(std::uint64_t burst) {
  return control::BucketShape({.units = 1, .per = 1s, .burst = burst});
}

// What a request of tenant retail got: the refusal, and the headers it would carry.
struct Asked {
  std::optional<Error> refused;
  std::string fields;
};

class QuotaTest : public testing::Test {
 protected:
  QuotaTest() { rig_.snapshot->auth = identity::AuthMode::kDev; }

  Asked ask(const CallerLimits* key = nullptr) {
    Asked asked;
    const auto look = [&](RequestScope& scope) {
      const Result<Principal> principal = identify(scope).value();
      ASSERT_TRUE(principal.has_value());
      scope.caller.workload = &tenant().workloads["support"];
      scope.caller.key = key;
      if (const Result<QuotaTurn> taken = take_quota(scope); !taken) asked.refused = taken.error();
      append_rate_fields(asked.fields, scope);
    };
    EXPECT_TRUE(rig_.ask("GET / HTTP/1.1\r\nhost: a\r\nx-tenant-id: retail\r\n\r\n", look)
                    .starts_with("HTTP/1.1 200"));
    return asked;
  }
  Tenant& tenant() { return rig_.snapshot->tenants["retail"]; }

  test::ScopeRig rig_{std::vector<std::uint64_t>(20)};  // two an id
};

TEST_F(QuotaTest, WithoutLimitsNothingIsTakenOrTold) {
  const Asked asked = ask();
  EXPECT_FALSE(asked.refused);
  EXPECT_EQ(asked.fields, "");
}

// The wait is exact, to the nanosecond.
TEST_F(QuotaTest, RefusesWithTheTimeToComeBack) {
  tenant().limits.requests = burst_of_per_second(2);
  EXPECT_FALSE(ask().refused);
  EXPECT_FALSE(ask().refused);
  rig_.loop.advance(300ms);
  const Asked third = ask();
  ASSERT_TRUE(third.refused);
  EXPECT_EQ(third.refused->code, ErrorCode::kRateLimitExceeded);
  EXPECT_EQ(third.refused->retry_after, Duration(700ms));
  rig_.loop.advance(700ms);
  EXPECT_FALSE(ask().refused);
}

// What the workload refuses is not taken from the tenant, and says whose limit it was.
TEST_F(QuotaTest, EachOfTheThreeBindsOnItsOwn) {
  tenant().limits.requests = burst_of_per_second(9);
  tenant().workloads["support"].limits.requests = burst_of_per_second(3);
  CallerLimits key;
  key.requests = burst_of_per_second(1);
  EXPECT_FALSE(ask(&key).refused);
  EXPECT_NE(ask(&key).refused->message.find("key"), std::string::npos);
  EXPECT_FALSE(ask().refused);
  EXPECT_FALSE(ask().refused);
  EXPECT_NE(ask().refused->message.find("workload"), std::string::npos);
  const control::BucketLevel left =
      tenant().limits.state->requests.level(*tenant().limits.requests, rig_.loop.now());
  EXPECT_EQ(left.remaining, 6U);
}

TEST_F(QuotaTest, TellsOfTheTightestBucket) {
  tenant().limits.requests = burst_of_per_second(90);
  tenant().workloads["support"].limits.requests = burst_of_per_second(4);
  EXPECT_EQ(ask().fields,
            "x-ratelimit-limit-requests: 4\r\nx-ratelimit-remaining-requests: 3\r\n"
            "x-ratelimit-reset-requests: 1s\r\n");
}

TEST(ResetText, UsesUpToThreeUnits) {
  EXPECT_EQ(reset_text(0s), "0s");
  EXPECT_EQ(reset_text(1ns), "1ms");
  EXPECT_EQ(reset_text(120ms), "120ms");
  EXPECT_EQ(reset_text(999'999us), "1s");
  EXPECT_EQ(reset_text(6s), "6s");
  EXPECT_EQ(reset_text(5001ms), "6s");
  EXPECT_EQ(reset_text(90s), "1m30s");
  EXPECT_EQ(reset_text(60s), "1m");
  EXPECT_EQ(reset_text(3661s), "1h1m1s");
  EXPECT_EQ(reset_text(2h), "2h");
}

}  // namespace
}  // namespace penstock::gateway
