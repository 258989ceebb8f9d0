#include "control/refusal_wait.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/support/scripted_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// The ends of both ranges, as written.
TEST(RefusalWait, StaysInItsRange) {
  test::ScriptedRng rng{0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX, 0};
  EXPECT_EQ(overloaded_wait(rng), 1s);
  EXPECT_EQ(overloaded_wait(rng), 2s);
  EXPECT_EQ(no_replica_wait(kStart + 10s, kStart, rng), 10s);
  EXPECT_EQ(no_replica_wait(kStart + 10s, kStart, rng), 12s);
  EXPECT_EQ(no_replica_wait(std::nullopt, kStart, rng), 1s);
  EXPECT_EQ(no_replica_wait(kStart + 1h, kStart, rng), 36s);
  EXPECT_EQ(no_replica_wait(kStart - 1s, kStart, rng), 1s);
}

}  // namespace
}  // namespace penstock::control
