#include "control/breaker.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/field.h"
#include "base/units.h"
#include "tests/support/seeded_rng.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr BreakerConfig kConfig{.rate = Ratio{500'000},
                                .samples_min = 4,
                                .window = 10s,
                                .open_for = 5s,
                                .half_open = Ratio{250'000}};

void give(Breaker& breaker, std::vector<Sample> samples, TimePoint now) {
  for (const Sample sample : samples) breaker.sample(kConfig, sample, breaker.generation(), now);
}

// Opens it at kStart; half-open from kStart + 5 s.
void trip(Breaker& breaker) {
  give(breaker, {Sample::kBad, Sample::kBad, Sample::kBad, Sample::kBad}, kStart);
}

// Hand-computed: two of four is the rate, but only once there are four.
TEST(Breaker, TripsAtTheRateOverEnoughSamples) {
  Breaker breaker;
  give(breaker, {Sample::kBad, Sample::kBad, Sample::kGood}, kStart);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kClosed);
  EXPECT_EQ(breaker.failure_rate(kConfig, kStart), Ratio{0});
  give(breaker, {Sample::kGood}, kStart);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kClosed);  // a good sample never trips it
  EXPECT_EQ(breaker.failure_rate(kConfig, kStart), Ratio{500'000});
  give(breaker, {Sample::kGood, Sample::kSlow}, kStart);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kOpen);
  EXPECT_EQ(breaker.open_until(kStart), kStart + 5s);
  EXPECT_FALSE(breaker.closed_at().has_value());
}

// A new replica's breaker is closed, knows nothing, and begins no slow start.
TEST(Breaker, AFreshOneIsClosed) {
  const Breaker breaker;
  EXPECT_EQ(breaker.state(kStart), BreakerState::kClosed);
  EXPECT_FALSE(breaker.open_until(kStart).has_value());
  EXPECT_FALSE(breaker.closed_at().has_value());
  EXPECT_EQ(breaker.failure_rate(kConfig, kStart), Ratio{0});
  EXPECT_EQ(breaker.slow_rate(kConfig, kStart), Ratio{0});
}

// Slow calls count together with failed ones: that is what opens it in a brownout.
TEST(Breaker, SlowCallsAloneTripIt) {
  Breaker breaker;
  give(breaker, {Sample::kGood, Sample::kGood, Sample::kSlow}, kStart);
  EXPECT_EQ(breaker.slow_rate(kConfig, kStart), Ratio{0});
  give(breaker, {Sample::kGood}, kStart);
  EXPECT_EQ(breaker.slow_rate(kConfig, kStart), Ratio{250'000});
  give(breaker, {Sample::kSlow, Sample::kSlow}, kStart);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kOpen);
  EXPECT_EQ(breaker.slow_rate(kConfig, kStart), Ratio{0});
  EXPECT_EQ(breaker.failure_rate(kConfig, kStart), Ratio{0});
}

// Samples leave the window by tenths of it.
TEST(Breaker, OldSamplesAreForgotten) {
  Breaker breaker;
  give(breaker, {Sample::kBad, Sample::kBad, Sample::kBad}, kStart);
  give(breaker, {Sample::kBad}, kStart + 10s);
  EXPECT_EQ(breaker.state(kStart + 10s), BreakerState::kClosed);
  give(breaker, {Sample::kBad, Sample::kBad, Sample::kBad}, kStart + 19s);
  EXPECT_EQ(breaker.state(kStart + 19s), BreakerState::kOpen);
}

// Five in a row without a connection open it at once, below samples_min; any answer breaks the row.
TEST(Breaker, FiveUnreachableInARowOpenIt) {
  const BreakerConfig config{.samples_min = 100};
  Breaker breaker;
  const auto give_one = [&](Sample sample) {
    breaker.sample(config, sample, breaker.generation(), kStart);
  };
  for (int i = 0; i < 4; ++i) give_one(Sample::kUnreachable);
  give_one(Sample::kBad);
  for (int i = 0; i < 4; ++i) give_one(Sample::kUnreachable);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kClosed);
  give_one(Sample::kUnreachable);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kOpen);
}

// An answer that is no sample, a 429 or a 400, breaks the row all the same.
TEST(Breaker, AnAnswerOfAnyKindBreaksTheRow) {
  const BreakerConfig config{.samples_min = 100};
  Breaker breaker;
  for (int i = 0; i < 8; ++i) {
    if (i == 4) breaker.answered(breaker.generation());
    breaker.sample(config, Sample::kUnreachable, breaker.generation(), kStart);
  }
  EXPECT_EQ(breaker.state(kStart), BreakerState::kClosed);
  breaker.answered(breaker.generation() + 1);
  breaker.sample(config, Sample::kUnreachable, breaker.generation(), kStart);
  EXPECT_EQ(breaker.state(kStart), BreakerState::kOpen) << "another generation's answer is none";
}

// Each change of state is told to the one whose sample made it.
TEST(Breaker, TellsWhatASampleBroughtAbout) {
  Breaker breaker;
  const auto give_one = [&](Sample sample, TimePoint at) {
    return breaker.sample(BreakerConfig(), sample, breaker.generation(), at);
  };
  for (int i = 0; i < 4; ++i) EXPECT_EQ(give_one(Sample::kUnreachable, kStart), std::nullopt);
  EXPECT_EQ(give_one(Sample::kUnreachable, kStart), BreakerState::kOpen);
  EXPECT_EQ(give_one(Sample::kBad, kStart), std::nullopt);
  const TimePoint later = kStart + BreakerConfig().open_for;
  auto probe = breaker.probe_at_once(later);
  ASSERT_TRUE(probe);
  EXPECT_EQ(give_one(Sample::kBad, later), BreakerState::kOpen) << "again";
  probe = breaker.probe_at_once(later + BreakerConfig().open_for);
  ASSERT_TRUE(probe);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(give_one(Sample::kGood, later + BreakerConfig().open_for), std::nullopt);
  EXPECT_EQ(give_one(Sample::kGood, later + BreakerConfig().open_for), BreakerState::kClosed);
}

// What an older attempt has to say does not move a newer state.
TEST(Breaker, SamplesOfAnOlderGenerationAreIgnored) {
  Breaker breaker;
  const std::uint32_t old = breaker.generation();
  trip(breaker);
  EXPECT_NE(breaker.generation(), old);
  give(breaker, {Sample::kBad, Sample::kGood}, kStart);  // open: nobody was sent, nothing counts
  auto probe = breaker.probe_at_once(kStart + 5s);
  ASSERT_TRUE(probe.has_value());
  for (int i = 0; i < 3; ++i) breaker.sample(kConfig, Sample::kGood, old, kStart + 5s);
  breaker.sample(kConfig, Sample::kBad, old, kStart + 5s);
  EXPECT_EQ(breaker.state(kStart + 5s), BreakerState::kHalfOpen);
}

// The window is empty after a trip: one bad call after recovery is one bad call.
TEST(Breaker, TrippingClearsTheWindow) {
  Breaker breaker;
  trip(breaker);
  ASSERT_TRUE(breaker.probe_at_once(kStart + 5s).has_value());
  give(breaker, {Sample::kGood, Sample::kGood, Sample::kGood}, kStart + 5s);
  EXPECT_EQ(breaker.state(kStart + 5s), BreakerState::kClosed);
  EXPECT_EQ(breaker.closed_at(), kStart + 5s);
  give(breaker, {Sample::kBad, Sample::kBad, Sample::kBad}, kStart + 6s);
  EXPECT_EQ(breaker.state(kStart + 6s), BreakerState::kClosed);
}

// Hand-computed: at 25 % the 1st, 5th and 9th request probe.
TEST(Breaker, EveryNthRequestProbes) {
  Breaker breaker;
  EXPECT_FALSE(breaker.probe_in_turn(kConfig, kStart).has_value());
  EXPECT_FALSE(breaker.probe_at_once(kStart).has_value());
  trip(breaker);
  EXPECT_FALSE(breaker.probe_in_turn(kConfig, kStart + 5s - 1ns).has_value());
  EXPECT_EQ(breaker.state(kStart + 5s - 1ns), BreakerState::kOpen);
  EXPECT_EQ(breaker.state(kStart + 5s), BreakerState::kHalfOpen);
  EXPECT_FALSE(breaker.open_until(kStart + 5s).has_value());
  std::vector<int> probed;
  for (int request = 1; request <= 10; ++request)
    if (breaker.probe_in_turn(kConfig, kStart + 5s)) probed.push_back(request);
  EXPECT_EQ(probed, (std::vector{1, 5, 9}));
  EXPECT_EQ(breaker.probes(), 0U);
}

// At 100 % every request is one, but never more than four at once.
TEST(Breaker, AtMostFourProbesAtOnce) {
  Breaker breaker;
  trip(breaker);
  BreakerConfig config = kConfig;
  config.half_open = Ratio{1'000'000};
  std::vector<ProbeToken> held;
  while (std::optional<ProbeToken> token = breaker.probe_in_turn(config, kStart + 5s))
    held.push_back(*std::move(token));
  EXPECT_EQ(held.size(), 4U);
  EXPECT_FALSE(breaker.probe_at_once(kStart + 5s).has_value());
  ProbeToken moved = std::move(held.back());
  held.pop_back();
  EXPECT_EQ(breaker.probes(), 4U);
  held.front() = std::move(moved);  // a swap: both still live until they end
  held.clear();
  EXPECT_EQ(breaker.probes(), 1U);
}

// A probe that ends without a verdict returns its token and moves nothing.
TEST(Breaker, ANeutralProbeOnlyReturnsItsToken) {
  Breaker breaker;
  trip(breaker);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(breaker.probe_at_once(kStart + 6s).has_value());
  EXPECT_EQ(breaker.state(kStart + 6s), BreakerState::kHalfOpen);
  EXPECT_EQ(breaker.probes(), 0U);
}

// Two good ones and a bad one reopen it, for the whole of open_for again.
TEST(Breaker, ABadProbeReopens) {
  Breaker breaker;
  trip(breaker);
  ASSERT_TRUE(breaker.probe_at_once(kStart + 6s).has_value());
  give(breaker, {Sample::kGood, Sample::kGood, Sample::kSlow}, kStart + 6s);
  EXPECT_EQ(breaker.state(kStart + 6s), BreakerState::kOpen);
  EXPECT_EQ(breaker.open_until(kStart + 6s), kStart + 11s);
}

// An operator's reset closes it whatever it was, into slow start.
TEST(Breaker, ResetCloses) {
  Breaker breaker;
  trip(breaker);
  breaker.reset(kStart + 1s);
  EXPECT_EQ(breaker.state(kStart + 1s), BreakerState::kClosed);
  EXPECT_EQ(breaker.closed_at(), kStart + 1s);
}

// Against what the words say, over random schedules: it opens only with cause, it opens when it
// must, and it closes only after three good probes of its own generation.
TEST(Breaker, MatchesItsWordsOverRandomSchedules) {
  const std::uint64_t seed = test::seed_of_test(6);
  SCOPED_TRACE(test::rerun_with(seed));
  test::SeededRng rng(seed);
  for (int round = 0; round < 50; ++round) {
    Breaker breaker;
    TimePoint now = kStart;
    std::vector<std::pair<std::int64_t, Sample>> window;  // slice, sample
    int row = 0;
    std::uint64_t good = 0;
    const std::uint64_t badness = 1 + rng.below(9);
    for (int i = 0; i < 400; ++i) {
      now += Duration(rng.below(900'000'000));
      const BreakerState was = breaker.state(now);
      const Sample sample =
          rng.below(10) < badness ? static_cast<Sample>(1 + rng.below(3)) : Sample::kGood;
      std::optional<ProbeToken> probe;
      if (was == BreakerState::kHalfOpen) {
        probe = breaker.probe_at_once(now);
        ASSERT_TRUE(probe.has_value());
      }
      breaker.sample(kConfig, sample, breaker.generation(), now);
      const BreakerState is = breaker.state(now);
      if (was == BreakerState::kHalfOpen) {
        good = sample == Sample::kGood ? good + 1 : 0;
        const BreakerState expected = sample != Sample::kGood ? BreakerState::kOpen
                                      : good == 3             ? BreakerState::kClosed
                                                              : BreakerState::kHalfOpen;
        ASSERT_EQ(is, expected);
        if (is != BreakerState::kHalfOpen) good = 0;
        window.clear();
        row = 0;
      } else if (was == BreakerState::kClosed) {
        const std::int64_t slice = now.time_since_epoch() / 1s;
        window.emplace_back(slice, sample);
        row = sample == Sample::kUnreachable ? row + 1 : 0;
        std::size_t total = 0;
        std::size_t failed = 0;
        for (const auto& [at, what] : window) {
          if (at <= slice - 10) continue;
          ++total;
          failed += what == Sample::kGood ? 0 : 1;
        }
        const bool must =
            sample != Sample::kGood && (row >= 5 || (total >= 4 && failed * 2 >= total));
        ASSERT_EQ(is, must ? BreakerState::kOpen : BreakerState::kClosed);
      } else {
        ASSERT_EQ(is, BreakerState::kOpen);
      }
    }
    ASSERT_EQ(breaker.probes(), 0U);
  }
}

}  // namespace
}  // namespace penstock::control
