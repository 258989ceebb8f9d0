#include "control/rate_bucket.h"

#include <chrono>
#include <cstdint>
#include <deque>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};

// Hand-computed: 10/s with a burst of 2 means two at once and then one each 100 ms.
TEST(RateBucket, GivesItsBurstAndThenItsRate) {
  const BucketShape shape({.units = 10, .per = 1s, .burst = 2});
  RateBucket bucket;
  EXPECT_EQ(bucket.take(shape, kStart, 1).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(shape, kStart, 1).end, TakeEnd::kTaken);
  const Take refused = bucket.take(shape, kStart, 1);
  EXPECT_EQ(refused.end, TakeEnd::kWait);
  EXPECT_EQ(refused.wait, 100ms);
  EXPECT_EQ(bucket.take(shape, kStart + 30ms, 1).wait, 70ms);
  EXPECT_EQ(bucket.peek(shape, kStart + 100ms, 1).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(shape, kStart + 100ms, 1).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(shape, kStart + 100ms, 2).wait, 200ms);
}

// The figures of the x-ratelimit headers: 200k tokens a minute, a third of them taken.
TEST(RateBucket, TellsWhatIsLeftAndWhenItIsFull) {
  const BucketShape shape({.units = 200'000, .per = 60s, .burst = 200'000});
  RateBucket bucket;
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 200'000U);
  EXPECT_EQ(bucket.level(shape, kStart).reset, 0s);
  ASSERT_EQ(bucket.take(shape, kStart, 50'000).end, TakeEnd::kTaken);
  const BucketLevel level = bucket.level(shape, kStart);
  EXPECT_EQ(level.limit, 200'000U);
  EXPECT_EQ(level.remaining, 150'000U);
  EXPECT_EQ(level.reset, 15s);
  EXPECT_EQ(bucket.level(shape, kStart + 9s).remaining, 180'000U);
}

// What can never be taken is said so, and takes nothing.
TEST(RateBucket, RefusesForGoodWhatExceedsItsCapacity) {
  const BucketShape shape({.units = 5, .per = 1s, .burst = 5});
  RateBucket bucket;
  EXPECT_EQ(bucket.take(shape, kStart, 6).end, TakeEnd::kNever);
  EXPECT_EQ(bucket.peek(shape, kStart, 6).end, TakeEnd::kNever);
  EXPECT_EQ(bucket.take(shape, kStart, 5).end, TakeEnd::kTaken);
}

// An undone take leaves the bucket as it was, also one that is undone late or twice.
TEST(RateBucket, UndoGivesBackAndNeverMoreThanTheCapacity) {
  const BucketShape shape({.units = 1, .per = 1s, .burst = 3});
  RateBucket bucket;
  ASSERT_EQ(bucket.take(shape, kStart, 2).end, TakeEnd::kTaken);
  bucket.undo(shape, 2);
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 3U);
  bucket.undo(shape, 3);
  RateBucket fresh;
  fresh.undo(shape, UINT64_MAX);
  EXPECT_EQ(fresh.level(shape, kStart).remaining, 3U);
  EXPECT_EQ(bucket.take(shape, kStart + 1s, 3).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(shape, kStart + 1s, 1).end, TakeEnd::kWait);
}

// A hold that was too small is charged all the same, and the debt is bounded by one capacity.
TEST(RateBucket, ChargeMayGoIntoBoundedDebt) {
  const BucketShape shape({.units = 10, .per = 1s, .burst = 10});
  RateBucket bucket;
  bucket.charge(shape, kStart, 10);
  bucket.charge(shape, kStart, 5);
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 0U);
  EXPECT_EQ(bucket.level(shape, kStart).reset, 1500ms);
  bucket.charge(shape, kStart, UINT64_MAX);
  bucket.charge(shape, kStart, UINT64_MAX);
  EXPECT_EQ(bucket.level(shape, kStart).reset, 2s);
  EXPECT_EQ(bucket.take(shape, kStart, 1).wait, 1100ms);
}

TEST(RateBucket, TakesOverALevel) {
  const BucketShape shape({.units = 10, .per = 1s, .burst = 10});
  RateBucket bucket;
  bucket.set_full_in(kStart, 650ms);
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 3U);
  EXPECT_EQ(bucket.level(shape, kStart).reset, 650ms);
  bucket.set_full_in(kStart, 0s);
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 10U);
}

// A rate that does not divide the second still gives its whole burst at one instant.
TEST(RateBucket, TheBurstOfAnUnevenRateIsExact) {
  for (const std::uint64_t units : {3U, 7U, 7'000'003U}) {
    const BucketShape shape({.units = units, .per = 60s, .burst = 1000});
    RateBucket bucket;
    for (int i = 0; i < 1000; ++i)
      ASSERT_EQ(bucket.take(shape, kStart, 1).end, TakeEnd::kTaken) << units << " " << i;
    EXPECT_EQ(bucket.take(shape, kStart, 1).end, TakeEnd::kWait);
  }
}

// Extreme shapes stay inside 64 bits: what would refill for centuries is lowered.
TEST(RateBucket, AnAbsurdShapeIsLowered) {
  const BucketShape slow({.units = 1, .per = 60s, .burst = UINT64_MAX});
  EXPECT_GT(slow.burst(), 500'000U);
  const BucketShape fast({.units = UINT64_MAX, .per = 1s, .burst = 1});
  EXPECT_EQ(fast.ticks_per_unit(), 1U);
  const BucketShape never({.units = 1, .per = Duration::max(), .burst = 9});
  EXPECT_EQ(never.burst(), 1U);
  RateBucket bucket;
  EXPECT_EQ(bucket.take(slow, kStart, slow.burst()).end, TakeEnd::kTaken);
}

// Over random schedules: no window admits more than burst + rate × window, the wait told is exact
// to the nanosecond, and a refused call changes nothing.
TEST(RateBucket, HoldsItsPromisesOverRandomSchedules) {
  const std::uint64_t seed = test::seed_of_test(1);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 40; ++round) {
    const Rate rate{.units = 1 + rng.below(5000),
                    .per = rng.below(2) == 0 ? 1s : 60s,
                    .burst = 1 + rng.below(50)};
    const BucketShape shape(rate);
    RateBucket bucket;
    TimePoint now = kStart;
    const std::int64_t unit_ns = rate.per.count() / static_cast<std::int64_t>(rate.units);
    struct Event {
      TimePoint at;
      std::uint64_t cost;
    };
    std::deque<Event> taken;
    for (int i = 0; i < 300; ++i) {
      now += Duration(rng.below(static_cast<std::uint64_t>(2 * unit_ns) + 1));
      const std::uint64_t cost = 1 + rng.below(rate.burst);
      const Take take = bucket.take(shape, now, cost);
      if (take.end == TakeEnd::kTaken) {
        taken.push_back({now, cost});
      } else {
        ASSERT_EQ(take.end, TakeEnd::kWait);
        ASSERT_GT(take.wait, 0s);
        EXPECT_EQ(bucket.peek(shape, now + take.wait, cost).end, TakeEnd::kTaken);
        EXPECT_EQ(bucket.peek(shape, now + take.wait - 1ns, cost).end, TakeEnd::kWait);
      }
      std::uint64_t sum = 0;
      for (auto event = taken.rbegin(); event != taken.rend(); ++event) {
        sum += event->cost;
        const double window = std::chrono::duration<double>(now - event->at) / rate.per;
        ASSERT_LE(static_cast<double>(sum), static_cast<double>(rate.burst) +
                                                window * static_cast<double>(rate.units) + 1e-6);
      }
    }
  }
}

// Ten times the rate must not make ten times the debt, nor a tenth of it give anything back.
TEST(RateBucket, AChangedRateKeepsWhatWasUsed) {
  const BucketShape slow({.units = 60, .per = 1h, .burst = 10});
  const BucketShape fast({.units = 600, .per = 1h, .burst = 10});
  const TimePoint now = TimePoint() + 1h;
  RateBucket bucket;
  EXPECT_EQ(bucket.take(slow, now, 5).end, TakeEnd::kTaken);
  bucket.reshape(slow, fast, now);
  EXPECT_EQ(bucket.level(fast, now).remaining, 5U);
  EXPECT_EQ(bucket.take(fast, now, 5).end, TakeEnd::kTaken);
  EXPECT_EQ(bucket.take(fast, now, 1).end, TakeEnd::kWait);
  bucket.reshape(fast, slow, now);
  EXPECT_EQ(bucket.level(slow, now).remaining, 0U);
  EXPECT_EQ(bucket.level(slow, now + 1min).remaining, 1U);
  bucket.reshape(slow, BucketShape({.units = 60, .per = 1h, .burst = 2}), now);
  EXPECT_EQ(bucket.level(BucketShape({.units = 60, .per = 1h, .burst = 2}), now + 4min).remaining,
            2U)
      << "at most one capacity in debt";
}

}  // namespace
}  // namespace penstock::control
