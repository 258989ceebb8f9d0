#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/problem.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

// A file with one tenant, whose members these are.
std::string tenant(std::string_view members) {
  return "version: 1\nlisten: {}\nauth: { mode: keys_or_jwt, jwt: { issuer: i, "
         "audience: a, jwks: https://i } }\ntenants:\n  a: { " +
         std::string(members) + " }\n";
}

LoadResult judged(const std::string& text) {
  support::MemoryDisk disk;
  const support::MemorySecrets secrets;
  disk.put("penstock.yaml", text);
  return load("penstock.yaml", disk, secrets);
}

bool fits(std::string_view members) { return judged(tenant(members)).ok(); }

// The one problem of a tenant with these members.
std::string fault(std::string_view members) {
  const LoadResult got = judged(tenant(members));
  EXPECT_EQ(got.problems.size(), 1U) << members;
  return got.problems.empty() ? "" : render(got.problems.front(), "f");
}

std::string key(std::string_view limits, std::string_view more = "") {
  return "keys: [ { id: k, sha256: " + std::string(64, 'a') + std::string(more) +
         ", limits: " + std::string(limits) + " } ]";
}

TEST(ValidateLimits, AdmitsTheSmallestValues) {
  EXPECT_TRUE(fits("limits: { requests: 1/min, burst: 1, in_flight: 1 }"));
  EXPECT_TRUE(fits("workloads: { w: { priority: batch, limits: { requests: 6/h } } }"));
  EXPECT_TRUE(fits(key("{ requests: 20/s }")));
  EXPECT_FALSE(fits("limits: { requests: 0/s }"));
  EXPECT_FALSE(fits("limits: { requests: 1/s, burst: 0 }"));
  EXPECT_FALSE(fits("limits: { in_flight: 0 }"));
  EXPECT_FALSE(fits("workloads: { w: { priority: urgent } }"));
}

// What is larger than its parent's in every respect refuses nobody, ever.
TEST(ValidateLimits, ARateAboveItsParentNeverBinds) {
  const auto workload = [](std::string_view outer, std::string_view inner) {
    return "limits: { " + std::string(outer) + " }, workloads: { w: { limits: { " +
           std::string(inner) + " } } }";
  };
  EXPECT_EQ(
      fault(workload("requests: 10/s", "requests: 50/s")),
      "f:5:74: tenants.a.workloads.w.limits.requests: 50/s with a burst of 50 can never bind: "
      "tenants.a.limits.requests allows 10/s with a burst of 10");
  EXPECT_TRUE(fits(workload("requests: 10/s", "requests: 10/s")));
  EXPECT_TRUE(fits(workload("requests: 60/min", "requests: 1/s")));
  EXPECT_FALSE(fits(workload("requests: 60/min", "requests: 61/min")));
  // A smaller burst binds first, whatever the rate; so does a smaller rate, whatever the burst.
  EXPECT_TRUE(fits(workload("requests: 10/s, burst: 100", "requests: 50/s")));
  EXPECT_TRUE(fits(workload("requests: 10/s", "requests: 5/s, burst: 100")));
  EXPECT_FALSE(fits(workload("requests: 10/s", "requests: 10/s, burst: 100")));
}

TEST(ValidateLimits, AKeyIsWithinItsWorkloadAndItsTenant) {
  const std::string workload = "workloads: { w: { limits: { requests: 5/s } } }, ";
  EXPECT_TRUE(fits(workload + key("{ requests: 9/s }")));
  EXPECT_NE(fault(workload + key("{ requests: 9/s }", ", workload: w")).find("workloads.w.limits"),
            std::string::npos);
  EXPECT_NE(fault("limits: { requests: 5/s }, " + key("{ requests: 9/s }"))
                .find("tenants.a.keys[0].limits.requests"),
            std::string::npos);
}

// A bucket of tokens holds one unit of its rate: 6000/min holds more than 200/s does.
TEST(ValidateLimits, TokensAboveTheirParentNeverBind) {
  EXPECT_TRUE(fits("limits: { tokens: 200k/min }, workloads: { w: { limits: { tokens: 1/h } } }"));
  EXPECT_NE(fault("limits: { tokens: 6k/min }, workloads: { w: { limits: { tokens: 7k/min } } }")
                .find("tenants.a.workloads.w.limits.tokens: 7k/min can never bind: "
                      "tenants.a.limits.tokens allows 6k/min"),
            std::string::npos);
  EXPECT_NE(fault("limits: { tokens: 6k/min }, " + key("{ tokens: 7k/min }"))
                .find("tenants.a.keys[0].limits.tokens"),
            std::string::npos);
  EXPECT_TRUE(fits("limits: { tokens: 6k/min }, workloads: { w: { limits: { tokens: 101/s } } }"));
  EXPECT_FALSE(fits("limits: { tokens: 0/s }"));
  EXPECT_FALSE(fits("limits: { tokens: 2M/s }"));
}

// A request that names no ceiling takes its workload's from the bucket: it would never be served.
TEST(ValidateLimits, AnOutputCeilingFitsIntoTheBucket) {
  const auto ceiling = [](std::string_view limits, std::string_view output) {
    return std::string(limits) + "workloads: { w: { output_tokens_max: " + std::string(output) +
           " } }";
  };
  EXPECT_TRUE(fits(ceiling("limits: { tokens: 6k/min }, ", "5999")));
  EXPECT_NE(fault(ceiling("limits: { tokens: 6k/min }, ", "6000"))
                .find("tenants.a.workloads.w.output_tokens_max: 6000 can never be had: "
                      "tenants.a.limits.tokens allows 6000 tokens at once"),
            std::string::npos);
  EXPECT_FALSE(fits("workloads: { w: { output_tokens_max: 9, limits: { tokens: 9/s } } }"));
  EXPECT_NE(fault("workloads: { w: { output_tokens_max: 9 } }, " +
                  key("{ tokens: 9/s }", ", workload: w"))
                .find("tenants.a.keys[0].limits.tokens allows 9"),
            std::string::npos);
}

TEST(ValidateLimits, ACeilingAboveItsParentNeverBinds) {
  EXPECT_TRUE(fits("limits: { in_flight: 4 }, workloads: { w: { limits: { in_flight: 4 } } }"));
  EXPECT_NE(fault("limits: { in_flight: 4 }, workloads: { w: { limits: { in_flight: 5 } } }")
                .find("workloads.w.limits.in_flight: 5 can never bind"),
            std::string::npos);
  // The process's ceiling is no parent: it may be changed while the gateway runs.
  EXPECT_TRUE(judged(tenant("limits: { in_flight: 9 }") + "limits: { in_flight: 1 }\n").ok());
}

TEST(ValidateLimits, ABurstNeedsARateThatRefillsIt) {
  EXPECT_NE(fault("limits: { burst: 5 }").find("limits.burst"), std::string::npos);
  EXPECT_TRUE(fits("limits: { requests: 1/h, burst: 8000 }"));
  EXPECT_NE(fault("limits: { requests: 1/h, burst: 20000 }").find("over a year"),
            std::string::npos);
}

TEST(ValidateLimits, AQueueNeedsPatience) {
  const std::string text = "version: 1\nlisten: {}\nauth: { mode: dev }\nadmission: ";
  EXPECT_TRUE(judged(text + "{ queue: 5, queue_wait: 100ms }\n").ok());
  EXPECT_TRUE(judged(text + "{ queue: 0, queue_wait: 0s }\n").ok());
  const LoadResult hasty = judged(text + "{ queue: 5 }\n");
  ASSERT_EQ(hasty.problems.size(), 1U);
  EXPECT_NE(hasty.problems.front().text.find("admission.queue_wait"), std::string::npos);
  EXPECT_EQ(judged(text + "{ queue_wait: 1s }\n").warnings.size(), 1U);
}

}  // namespace
}  // namespace penstock::config
