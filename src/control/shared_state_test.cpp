// What several workers share, under several threads at once: sums and bounds must hold exactly,
// whatever the interleaving.
#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"
#include "control/block.h"
#include "control/breaker.h"
#include "control/bucket_chain.h"
#include "control/ceilings.h"
#include "control/cool_down.h"
#include "control/in_flight_limit.h"
#include "control/peak_ewma.h"
#include "control/priority.h"
#include "control/rate_bucket.h"
#include "control/retry_budget.h"
#include "control/slice.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr std::uint32_t kWorkers = 4;
constexpr int kCalls = 20'000;

// Runs `work(worker)` on every worker, all of them beginning together, and waits for them.
void on_all_workers(const std::function<void(std::uint32_t)>& work) {
  std::latch begin(kWorkers);
  std::vector<std::jthread> workers;
  for (std::uint32_t i = 0; i < kWorkers; ++i) {
    workers.emplace_back([&work, &begin, i] {
      begin.arrive_and_wait();
      work(i);
    });
  }
}

// Exactly the burst is taken, by whomever.
TEST(SharedState, ABucketGivesExactlyItsBurst) {
  const BucketShape shape({.units = 1, .per = 1s, .burst = 5000});
  RateBucket bucket;
  std::atomic<std::uint64_t> taken = 0;
  on_all_workers([&](std::uint32_t) {
    for (int i = 0; i < kCalls; ++i)
      if (bucket.take(shape, kStart, 1).end == TakeEnd::kTaken) ++taken;
  });
  EXPECT_EQ(taken.load(), 5000U);
}

// A slice that is spent, drained and filled at the same time gives out what was put in, no more.
TEST(SharedState, ASliceGivesExactlyWhatItWasFilledWith) {
  Slice slice;
  std::atomic<std::uint64_t> filled = 0;
  std::atomic<std::uint64_t> spent = 0;
  on_all_workers([&](std::uint32_t) {
    for (int i = 0; i < kCalls; ++i) {
      if (slice.take(kStart, 1)) {
        ++spent;
      } else if (slice.begin_refill()) {
        spent += slice.drain(kStart).units;
        slice.fill(kStart, 20);
        filled += 20;
        slice.end_refill();
      }
    }
  });
  EXPECT_EQ(spent.load() + slice.left(kStart), filled.load());
}

// Answers about a block cross with its renewals: it never has more places than one of them said.
TEST(SharedState, ABlockHasWhatTheLatestAnswerSaid) {
  Block block;
  on_all_workers([&](std::uint32_t worker) {
    for (int i = 0; i < 2000; ++i) {
      if (worker == 0) {
        const std::optional<Block::Setting> setting = block.tend(3, 10, kStart + 5s * i);
        if (setting) EXPECT_LE(setting->want, 9U);
      } else {
        const std::uint64_t version = block.mint();
        block.apply({.version = version, .granted = 3 + worker * 2, .others = 1}, 1,
                    kStart + 5s * i);
      }
      EXPECT_LE(block.mark(10, 1, kStart + 5s * i), 9U);
    }
  });
  block.apply({.version = block.mint(), .granted = 4, .others = 1}, 1, kStart + 20'000s);
  EXPECT_EQ(block.granted(), 4U);
}

// Whatever outer refusals undid, the inner bucket ends with what was really taken.
TEST(SharedState, AChainLosesNothing) {
  const BucketShape wide({.units = 1, .per = 1s, .burst = 100'000});
  const BucketShape narrow({.units = 1, .per = 1s, .burst = 700});
  RateBucket inner;
  RateBucket outer;
  std::atomic<std::uint64_t> taken = 0;
  on_all_workers([&](std::uint32_t) {
    BucketChain chain;
    chain.add(wide, inner);
    chain.add(narrow, outer);
    for (int i = 0; i < kCalls; ++i)
      if (chain.take(kStart, 1).end == TakeEnd::kTaken) ++taken;
  });
  EXPECT_EQ(taken.load(), 700U);
  EXPECT_EQ(inner.level(wide, kStart).remaining, 100'000U - 700U);
}

// Charges and their undoing cancel out to the tick.
TEST(SharedState, ChargesAndUndosCancelOut) {
  const BucketShape shape({.units = 1, .per = 1s, .burst = 1'000'000});
  RateBucket bucket;
  ASSERT_EQ(bucket.take(shape, kStart, 100'000).end, TakeEnd::kTaken);
  on_all_workers([&](std::uint32_t) {
    for (int i = 0; i < kCalls; ++i) {
      bucket.charge(shape, kStart, 2);
      bucket.undo(shape, 2);
    }
  });
  EXPECT_EQ(bucket.level(shape, kStart).remaining, 900'000U);
}

// A later word never shortens a cool-down, whichever arrives last.
TEST(SharedState, TheLongestCoolDownStays) {
  CoolDown cool_down;
  on_all_workers([&](std::uint32_t worker) {
    for (int i = 0; i < kCalls; ++i)
      cool_down.ask(Duration(1us) * ((i * 7919 + static_cast<int>(worker)) % kCalls), kStart);
  });
  EXPECT_EQ(cool_down.until(kStart), kStart + Duration(1us) * (kCalls - 1));
}

// A ceiling is never exceeded and ends empty.
TEST(SharedState, CeilingsHoldAndEndAtZero) {
  InFlightLimit tenant(5);
  InFlightLimit process(3);
  std::atomic<std::uint32_t> highest = 0;
  on_all_workers([&](std::uint32_t) {
    Ceilings ceilings;
    ceilings.add(tenant, Priority::kInteractive);
    ceilings.add(process, Priority::kInteractive);
    for (int i = 0; i < kCalls; ++i) {
      const Entrance entrance = ceilings.enter();
      if (!entrance.slots) continue;
      const std::uint32_t now = process.in_flight();
      std::uint32_t seen = highest;
      while (seen < now && !highest.compare_exchange_weak(seen, now)) {
      }
    }
  });
  EXPECT_LE(highest.load(), 3U);
  EXPECT_EQ(tenant.in_flight(), 0U);
  EXPECT_EQ(process.in_flight(), 0U);
}

// Credit is never given twice.
TEST(SharedState, TheRetryBudgetIsNeverOverspent) {
  RetryBudget budget;
  std::atomic<std::uint64_t> taken = 0;
  on_all_workers([&](std::uint32_t) {
    for (int i = 0; i < kCalls; ++i) {
      budget.started(kStart);
      if (budget.take(Ratio{100'000}, kStart)) ++taken;
    }
  });
  EXPECT_LE(taken.load(), kWorkers * kCalls / 10);
  EXPECT_GE(taken.load(), 3U);
}

// Never more than four probes, all of them returned; transitions lose no generation.
TEST(SharedState, ABreakerUnderFireReturnsItsProbes) {
  const BreakerConfig config{
      .samples_min = 10, .window = 10s, .open_for = 100ms, .half_open = Ratio{1'000'000}};
  Breaker breaker;
  std::atomic<std::uint32_t> highest = 0;
  on_all_workers([&](std::uint32_t worker) {
    TimePoint now = kStart;
    for (int i = 0; i < kCalls; ++i) {
      now += 1ms;
      const std::optional<ProbeToken> probe = breaker.probe_in_turn(config, now);
      const std::uint32_t generation = breaker.generation();
      if (breaker.probes() > highest) highest = breaker.probes();
      const bool good = (static_cast<std::uint32_t>(i) / 200 + worker) % 2 == 0;
      breaker.sample(config, good ? Sample::kGood : Sample::kBad, generation, now);
    }
  });
  EXPECT_LE(highest.load(), 4U);
  EXPECT_EQ(breaker.probes(), 0U);
  EXPECT_GT(breaker.generation(), 0U);
}

// At one instant the highest observation stays, whoever made it.
TEST(SharedState, ThePeakIsNotLost) {
  PeakEwma ewma;
  on_all_workers([&](std::uint32_t worker) {
    for (int i = 1; i <= kCalls; ++i) ewma.observe(Duration(1ms) * i * (worker + 1), kStart);
  });
  EXPECT_EQ(ewma.cost(kStart), Duration(1ms) * kCalls * kWorkers);
}

}  // namespace
}  // namespace penstock::control
