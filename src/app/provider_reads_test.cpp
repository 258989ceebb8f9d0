#include "app/provider_reads.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/provider.h"
#include "fleet/replica_state.h"
#include "gateway/snapshot.h"
#include "net/connection_permits.h"
#include "telemetry/gateway_metrics.h"
#include "tests/support/manual_clock.h"

namespace penstock::app {
namespace {

// A connection that is taken between the two reads of one scrape does not stand in both.
TEST(ProviderReads, IdleAndActiveAreNeverMoreThanThereAre) {
  gateway::Snapshot snapshot;
  fleet::Provider provider;
  provider.permits = std::make_shared<net::ConnectionPermits>(2, 0);
  provider.state = std::make_shared<fleet::ProviderState>(0, 1);
  snapshot.providers.push_back(provider);
  test::ManualClock clock;
  const std::vector<telemetry::ProviderReads> reads = provider_reads(snapshot, clock);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(provider.permits->try_take());
  provider.permits->idle = 1;
  EXPECT_EQ(reads[0].idle(), 1.0);
  provider.permits->idle = 0;
  EXPECT_EQ(reads[0].active(), 1.0);
  EXPECT_EQ(reads[0].idle(), 0.0);
  EXPECT_EQ(reads[0].active(), 2.0);
}

}  // namespace
}  // namespace penstock::app
