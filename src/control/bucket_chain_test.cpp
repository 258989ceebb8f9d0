#include "control/bucket_chain.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/rate_bucket.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// A refusal by an outer bucket leaves the inner ones untouched.
TEST(BucketChain, AnOuterRefusalUndoesTheInnerTakes) {
  const BucketShape wide({.units = 10, .per = 1s, .burst = 10});
  const BucketShape narrow({.units = 1, .per = 1s, .burst = 1});
  RateBucket key;
  RateBucket tenant;
  BucketChain chain;
  EXPECT_FALSE(chain.tightest(kStart).has_value());
  chain.add(wide, key);
  chain.add(narrow, tenant);
  EXPECT_EQ(chain.take(kStart, 1).end, TakeEnd::kTaken);
  const ChainTake refused = chain.take(kStart, 1);
  EXPECT_EQ(refused.end, TakeEnd::kWait);
  EXPECT_EQ(refused.refused_by, 1U);
  EXPECT_EQ(refused.wait, 1s);
  EXPECT_EQ(key.level(wide, kStart).remaining, 9U);
  EXPECT_EQ(chain.tightest(kStart)->limit, 1U);
  BucketChain turned;
  turned.add(narrow, tenant);
  turned.add(wide, key);
  EXPECT_EQ(turned.tightest(kStart)->limit, 1U);
  chain.undo(1);
  EXPECT_EQ(key.level(wide, kStart).remaining, 10U);
  chain.charge(kStart, 1);
  EXPECT_EQ(tenant.level(narrow, kStart).remaining, 0U);
}

// A client told to wait must not be refused by the next bucket when it comes back.
TEST(BucketChain, TheWaitIsThatOfTheSlowestBucket) {
  const BucketShape fast({.units = 10, .per = 1s, .burst = 1});
  const BucketShape slow({.units = 1, .per = 1s, .burst = 1});
  RateBucket inner;
  RateBucket outer;
  BucketChain chain;
  chain.add(fast, inner);
  chain.add(slow, outer);
  ASSERT_EQ(chain.take(kStart, 1).end, TakeEnd::kTaken);
  const ChainTake refused = chain.take(kStart, 1);
  EXPECT_EQ(refused.refused_by, 0U);
  EXPECT_EQ(refused.wait, 1s);
  EXPECT_EQ(chain.take(kStart + refused.wait, 1).end, TakeEnd::kTaken);
}

// What no wait can help is told before anything is taken, wherever in the chain it stands.
TEST(BucketChain, NeverOutranksWait) {
  const BucketShape wide({.units = 1, .per = 1s, .burst = 9});
  const BucketShape narrow({.units = 1, .per = 1s, .burst = 4});
  RateBucket inner;
  RateBucket outer;
  BucketChain chain;
  chain.add(wide, inner);
  chain.add(narrow, outer);
  chain.charge(kStart, 4);
  const ChainTake refused = chain.take(kStart, 6);
  EXPECT_EQ(refused.end, TakeEnd::kNever);
  EXPECT_EQ(refused.refused_by, 1U);
  EXPECT_EQ(inner.level(wide, kStart).remaining, 5U);
}

// Over random costs and times: all buckets give or none does.
TEST(BucketChain, AllOrNothing) {
  const std::uint64_t seed = test::seed_of_test(2);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  const std::array<BucketShape, 3> shapes{BucketShape({.units = 100, .per = 1s, .burst = 20}),
                                          BucketShape({.units = 50, .per = 1s, .burst = 30}),
                                          BucketShape({.units = 3000, .per = 60s, .burst = 10})};
  std::array<RateBucket, 3> buckets;
  BucketChain chain;
  for (std::size_t i = 0; i < 3; ++i) chain.add(shapes[i], buckets[i]);
  TimePoint now = kStart;
  for (int i = 0; i < 2000; ++i) {
    now += Duration(rng.below(40'000'000));
    const std::uint64_t cost = 1 + rng.below(12);
    std::array<Duration, 3> before{};
    for (std::size_t b = 0; b < 3; ++b) before[b] = buckets[b].level(shapes[b], now).reset;
    const ChainTake take = chain.take(now, cost);
    for (std::size_t b = 0; b < 3; ++b) {
      const Duration moved = buckets[b].level(shapes[b], now).reset - before[b];
      if (take.end == TakeEnd::kTaken) {
        ASSERT_GT(moved, 0s);
      } else {
        ASSERT_EQ(moved, 0s);
      }
    }
  }
}

}  // namespace
}  // namespace penstock::control
