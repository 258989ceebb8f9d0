#include "config/compile_tenants.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/label.h"
#include "base/result.h"
#include "config/load.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "gateway/live_limits.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

class CompileTenants : public testing::Test {
 protected:
  // The snapshot of a config with these tenants, after `before`.
  std::unique_ptr<gateway::Snapshot> compiled(const std::string& tenants,
                                              const gateway::Snapshot* before = nullptr) {
    support::MemoryDisk disk;
    const support::MemorySecrets secrets;
    disk.put("f",
             "version: 1\nlisten: {}\nauth: { mode: keys_or_jwt, jwt: { issuer: i, "
             "audience: a, jwks: https://i } }\ntenants: " +
                 tenants + "\n");
    const LoadResult loaded = load("f", disk, secrets);
    EXPECT_TRUE(loaded.ok()) << tenants;
    auto snapshot = std::make_unique<gateway::Snapshot>();
    EXPECT_TRUE(compile_tenants(loaded.config, labels_, before, *snapshot).has_value());
    return snapshot;
  }
  LabelNames labels_;
};

TEST_F(CompileTenants, MakesLimitsReadyForRequests) {
  const auto snapshot = compiled(
      "{ a: { limits: { requests: 600/min, in_flight: 7 }, workloads: { w: { priority: batch, "
      "limits: { requests: 1/min } } }, keys: [ { id: k, sha256: " +
      std::string(64, 'a') + ", limits: { requests: 2/s, burst: 5 } }, { id: free, sha256: " +
      std::string(64, 'b') + " } ] } }");
  const gateway::Tenant& tenant = snapshot->tenants.at("a");
  EXPECT_EQ(tenant.limits.requests->burst(), 10U) << "one second's worth";
  EXPECT_EQ(tenant.limits.state->in_flight.limit(), 7U);
  EXPECT_EQ(tenant.workloads.at("w").limits.requests->burst(), 1U) << "at least one";
  EXPECT_FALSE(tenant.workloads.at("w").limits.in_flight);
  EXPECT_EQ(tenant.workloads.at("w").priority, control::Priority::kBatch);
  EXPECT_EQ(tenant.keys.at("k").requests->burst(), 5U);
  EXPECT_FALSE(tenant.keys.contains("free"));
}

// A change of the config neither fills a bucket nor forgets what runs.
TEST_F(CompileTenants, TakesOverTheStateOfTheSameNames) {
  const auto before = compiled("{ a: { limits: { in_flight: 7 }, workloads: { w: {} } } }");
  const auto after =
      compiled("{ a: { limits: { in_flight: 3 }, workloads: { w: {} } }, b: {} }", before.get());
  EXPECT_EQ(after->tenants.at("a").limits.state, before->tenants.at("a").limits.state);
  const control::InFlightLimit& ceiling = after->tenants.at("a").limits.state->in_flight;
  EXPECT_EQ(ceiling.limit(), 7U) << "the config before is still in force";
  gateway::Process process(after->limits);
  gateway::apply_limits(process, *after, TimePoint());
  EXPECT_EQ(ceiling.limit(), 3U);
  EXPECT_EQ(after->tenants.at("a").workloads.at("w").limits.state,
            before->tenants.at("a").workloads.at("w").limits.state);
  EXPECT_NE(after->tenants.at("b").limits.state, before->tenants.at("a").limits.state);
}

}  // namespace
}  // namespace penstock::config
