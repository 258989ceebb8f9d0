#include "control/health.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/support/scripted_rng.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr Hysteresis kConfig{.healthy_after = 2, .unhealthy_after = 3};
constexpr auto kPassed = ProbeEnd::kPassed;
constexpr auto kFailed = ProbeEnd::kFailed;

// From unknown one result decides, either way, and the start of a process is no recovery.
TEST(Health, FromUnknownOneResultDecides) {
  Health up;
  EXPECT_EQ(up.state(), HealthState::kUnknown);
  EXPECT_EQ(up.on_probe(kPassed, kConfig, kStart), HealthState::kHealthy);
  EXPECT_FALSE(up.recovered_at().has_value());
  Health down;
  EXPECT_EQ(down.on_probe(kFailed, kConfig, kStart), HealthState::kUnhealthy);
}

// Hand-computed hysteresis: three failures in a row take it out, two passes bring it back.
TEST(Health, NeedsARowOfContradictions) {
  Health health;
  const auto probe = [&](ProbeEnd end) { return health.on_probe(end, kConfig, kStart + 9s); };
  EXPECT_EQ(health.on_probe(kPassed, kConfig, kStart), HealthState::kHealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kHealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kHealthy);
  EXPECT_EQ(probe(kPassed), HealthState::kHealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kHealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kHealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kUnhealthy);
  EXPECT_FALSE(health.recovered_at().has_value());
  EXPECT_EQ(probe(kPassed), HealthState::kUnhealthy);
  EXPECT_EQ(probe(kFailed), HealthState::kUnhealthy);
  EXPECT_EQ(probe(kPassed), HealthState::kUnhealthy);
  EXPECT_EQ(probe(kPassed), HealthState::kHealthy);
  EXPECT_EQ(health.recovered_at(), kStart + 9s);
}

// Probes stay within a tenth of their interval, and spread over all of it.
TEST(Health, ProbesAreJittered) {
  test::ScriptedRng ends{0, UINT64_MAX};
  EXPECT_EQ(probe_pause(5s, ends), 4500ms);
  EXPECT_EQ(probe_pause(5s, ends), 5500ms);
  const std::uint64_t seed = test::seed_of_test(7);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int i = 0; i < 1000; ++i) {
    const Duration pause = probe_pause(50ms, rng);
    ASSERT_GE(pause, 45ms);
    ASSERT_LE(pause, 55ms);
  }
}

}  // namespace
}  // namespace penstock::control
