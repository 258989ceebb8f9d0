
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/bucket_chain.h"
#include "control/epoch_watch.h"
#include "control/rate_bucket.h"
#include "runtime/task.h"
#include "store/quota_store.h"
#include "tests/socket/quota_rig.h"
#include "tests/support/seeded_rng.h"

namespace penstock::store {
namespace {

using control::Rate;
using runtime::Task;
using End = QuotaAnswer::End;

// The script and the bucket of control/ take the same decisions over random costs, pauses, slices
// and settlements, to the microsecond. The rates cost whole ticks on both sides.
Task<void> play_model(QuotaRig& rig, test::SeededRng& rng) {
  const std::vector<Rate> rates{{.units = 50, .per = 1s, .burst = 60},
                                {.units = 6000, .per = 60s, .burst = 90},
                                {.units = 8, .per = 1s, .burst = 200}};
  std::array<control::RateBucket, 3> buckets;
  std::vector<control::BucketShape> shapes;
  control::BucketChain chain;
  for (const Rate& rate : rates) shapes.emplace_back(rate);
  for (std::size_t i = 0; i < 3; ++i) chain.add(shapes[i], buckets[i]);
  control::Epoch epoch;
  int taken = 0;
  int refused = 0;
  for (int step = 0; step < 1500; ++step) {
    rig.now += rng.below(300'000);
    const TimePoint now{std::chrono::microseconds(rig.now)};
    QuotaAsk ask = ask_for(rates, 1 + rng.below(12), epoch);
    ask.more = rng.below(4) == 0 ? rng.below(20) : 0;
    const std::uint64_t cost = ask.cost;
    const std::optional<QuotaAnswer> answer = co_await rig.take(ask);
    EXPECT_TRUE(answer.has_value());
    if (!answer) co_return;
    epoch = answer->epoch;
    const control::ChainTake model = chain.take(now, cost);
    EXPECT_EQ(answer->end == End::kTaken, model.end == control::TakeEnd::kTaken) << step;
    if (model.end == control::TakeEnd::kTaken) {
      ++taken;
      std::uint64_t left = UINT64_MAX;
      for (std::size_t i = 0; i < 3; ++i)
        left = std::min(left, buckets[i].level(shapes[i], now).remaining);
      EXPECT_LE(answer->more, left) << step;
      if (answer->more != 0) EXPECT_EQ(chain.take(now, answer->more).end, control::TakeEnd::kTaken);
    } else {
      ++refused;
      EXPECT_EQ(answer->refused_by, model.refused_by) << step;
      EXPECT_LE(model.wait, answer->wait) << step;
      EXPECT_LT(answer->wait, model.wait + 1us) << step;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Duration reset = buckets[i].level(shapes[i], now).reset;
      EXPECT_LE(reset, answer->full_in[i]) << step << " " << i;
      EXPECT_LT(answer->full_in[i], reset + 1us) << step << " " << i;
    }
    if (model.end == control::TakeEnd::kTaken && rng.below(3) == 0) {
      const QuotaAsk names = ask_for(rates, 0, epoch);
      const std::uint64_t back = rng.below(cost + 1);
      const std::uint64_t charge = back == 0 ? rng.below(30) : 0;
      QuotaSettlement settlement{
          .owner = names.owner, .buckets = names.buckets, .back = back, .charge = charge};
      EXPECT_TRUE(co_await rig.settle(settlement));
      chain.undo(back);
      chain.charge(now, charge);
    }
    if (testing::Test::HasFailure()) co_return;
  }
  EXPECT_GT(taken, 300);
  EXPECT_GT(refused, 300);
}

TEST(QuotaScript, DecidesAsTheBucketOfThisProcessDoes) {
  const std::uint64_t seed = test::seed_of_test(1);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  QuotaRig rig;
  rig.redis.play(play_model(rig, rng));
}

const std::vector<Rate> kTenASecond{{.units = 10, .per = 1s, .burst = 10}};

Task<void> expect_taken(QuotaRig& rig, std::uint64_t cost, control::Epoch seen, End end) {
  const std::optional<QuotaAnswer> answer = co_await rig.take(ask_for(kTenASecond, cost, seen));
  EXPECT_TRUE(answer.has_value());
  if (answer) EXPECT_EQ(answer->end, end) << "cost " << cost;
}

// Where none was ever seen, buckets start full; every key has a time to live, and its name tells of
// nobody's credential.
TEST(QuotaScript, ANewTenantStartsFull) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 10, {}, End::kTaken);
    co_await expect_taken(rig, 1, {7, 1}, End::kWait);
    rig.now += 100'000;
    co_await expect_taken(rig, 1, {7, 2}, End::kTaken);
  };
  rig.redis.play(body(rig));
  for (const std::string key : {"q:{acme}:epoch", "q:{acme}:b0"})
    EXPECT_GT(std::stol(rig.server.ask("PTTL " + key)), 0) << key;
}

// Data are lost: the first to notice begins a new epoch with empty buckets, for all.
TEST(QuotaScript, ALostEpochStartsEmptyOnce) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 1, {}, End::kTaken);
    EXPECT_EQ(rig.server.ask("FLUSHALL"), "OK");
    rig.epoch_new = 8;
    co_await expect_taken(rig, 1, {7, 1}, End::kWait);
    rig.now += 500'000;
    co_await expect_taken(rig, 5, {8, 1}, End::kTaken);  // refilled since, and no more than that
    co_await expect_taken(rig, 1, {8, 2}, End::kWait);
    rig.now += 300'000;
    // Another gateway, which knew the old data, finds the new: they began empty already.
    co_await expect_taken(rig, 3, {5, 90}, End::kTaken);
    co_await expect_taken(rig, 1, {8, 1}, End::kWait);
    rig.now += 10'000'000;
    co_await expect_taken(rig, 10, {8, 1}, End::kTaken);
  };
  rig.redis.play(body(rig));
}

// One that never saw the lost data began the new epoch, full; one that did empties its buckets.
TEST(QuotaScript, WhoeverKnewTheLostDataEmptiesTheBuckets) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 1, {}, End::kTaken);
    co_await expect_taken(rig, 1, {5, 90}, End::kWait);
    rig.now += 200'000;
    co_await expect_taken(rig, 2, {7, 2}, End::kTaken);
    co_await expect_taken(rig, 1, {5, 90}, End::kWait);
  };
  rig.redis.play(body(rig));
}

// A replica that lags and is promoted has the same epoch and a lower count.
TEST(QuotaScript, ALowerCountIsALoss) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 1, {}, End::kTaken);
    co_await expect_taken(rig, 1, {7, 1}, End::kTaken);
    co_await expect_taken(rig, 1, {7, 50}, End::kWait);
  };
  rig.redis.play(body(rig));
}

// What a call of other data took is not given back to these.
TEST(QuotaScript, SettlesOnlyWithinItsEpoch) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 10, {}, End::kTaken);
    const QuotaAsk names = ask_for(kTenASecond, 0, {8, 1});
    const QuotaSettlement foreign{
        .owner = names.owner, .buckets = std::span(names.buckets).first(1), .back = 10};
    EXPECT_FALSE(co_await rig.settle(foreign));
    co_await expect_taken(rig, 1, {7, 1}, End::kWait);
    QuotaSettlement own = foreign;
    own.owner.seen.id = 7;
    EXPECT_TRUE(co_await rig.settle(own));
    co_await expect_taken(rig, 10, {7, 1}, End::kTaken);
  };
  rig.redis.play(body(rig));
}

// A clock that goes back refills nothing and never lets a debt grow beyond its bound.
TEST(QuotaScript, AClockThatGoesBackGivesNothing) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    co_await expect_taken(rig, 10, {}, End::kTaken);
    rig.now -= 3'600'000'000;
    const std::optional<QuotaAnswer> answer = co_await rig.take(ask_for(kTenASecond, 1, {7, 1}));
    EXPECT_TRUE(answer && answer->end == End::kWait && answer->wait == 100ms);
    rig.now += 100'000;
    co_await expect_taken(rig, 1, {7, 2}, End::kWait);  // nothing was written: still the old time
  };
  rig.redis.play(body(rig));
}

// Leftovers of a slice go back with the next call, also with one that is refused.
TEST(QuotaScript, TakesSlicesAndTheirLeftovers) {
  QuotaRig rig;
  const auto body = [](QuotaRig& rig) -> Task<void> {
    QuotaAsk ask = ask_for(kTenASecond, 1);
    ask.more = 4;
    std::optional<QuotaAnswer> answer = co_await rig.take(ask);
    EXPECT_TRUE(answer && answer->more == 4);
    ask = ask_for(kTenASecond, 2, {7, 1});
    ask.more = 9;
    ask.back = 1;
    answer = co_await rig.take(ask);
    EXPECT_TRUE(answer && answer->more == 4);  // 10 - 5 + 1 - 2
    ask = ask_for(kTenASecond, 3, {7, 2});
    ask.back = 2;
    answer = co_await rig.take(ask);
    EXPECT_TRUE(answer && answer->end == End::kWait && answer->more == 0);
    co_await expect_taken(rig, 2, {7, 3}, End::kTaken);
  };
  rig.redis.play(body(rig));
}

}  // namespace
}  // namespace penstock::store
