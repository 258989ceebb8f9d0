#include "control/call_samples.h"

#include <cstdint>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/outcome.h"
#include "base/units.h"
#include "control/breaker.h"

namespace penstock::control {
namespace {

constexpr TimePoint kStart{1h};
constexpr Duration kSlow = 20s;

// What may move a breaker, and what is neutral: the caller's errors, load, departures, our own.
TEST(CallSamples, OnlyTheReplicasOwnDoingIsASample) {
  const auto of = [](Outcome outcome) { return sample_of(outcome, Reach::kReached, kSlow); };
  EXPECT_EQ(of(Outcome::kOk), Sample::kGood);
  EXPECT_EQ(of(Outcome::kFault), Sample::kBad);
  EXPECT_EQ(of(Outcome::kSlow), Sample::kSlow);
  EXPECT_EQ(of(Outcome::kTimeout), Sample::kBad);
  for (const Outcome neutral : {Outcome::kClientError, Outcome::kOverload, Outcome::kCancelled,
                                Outcome::kDeadline, Outcome::kLocal})
    EXPECT_FALSE(of(neutral).has_value()) << name(neutral);
  EXPECT_EQ(sample_of(Outcome::kFault, Reach::kUnreachable, kSlow), Sample::kUnreachable);
  EXPECT_EQ(sample_of(Outcome::kTimeout, Reach::kUnreachable, kSlow), Sample::kUnreachable);
}

// `slow_call: off` makes it error-only, time-outs included.
TEST(CallSamples, WithoutASlowCallNeitherSlownessNorTimeOutsCount) {
  EXPECT_FALSE(sample_of(Outcome::kTimeout, Reach::kReached, std::nullopt).has_value());
  EXPECT_FALSE(sample_of(Outcome::kSlow, Reach::kReached, std::nullopt).has_value());
  EXPECT_EQ(sample_of(Outcome::kFault, Reach::kReached, std::nullopt), Sample::kBad);
  StreamSamples stream(std::nullopt, kStart);
  EXPECT_FALSE(stream.slow_at().has_value());
  EXPECT_FALSE(stream.on_time(kStart + 1h).has_value());
  EXPECT_EQ(stream.on_content(kStart + 2h), Sample::kGood);
}

// A long unary answer is not a slow one: 500 tokens may take 10 s more.
TEST(CallSamples, AUnaryCallMayTakeItsTimePerToken) {
  EXPECT_EQ(unary_slow_after(kSlow, 0), 20s);
  EXPECT_EQ(unary_slow_after(kSlow, 500), 30s);
  EXPECT_GT(unary_slow_after(kSlow, UINT64_MAX), kSlow);
}

// The sample is taken at the instant, whoever ends the attempt later, and only once.
TEST(StreamSamples, SlowAtTheInstantAndOnlyOnce) {
  StreamSamples stream(kSlow, kStart);
  EXPECT_EQ(stream.slow_at(), kStart + 20s);
  EXPECT_FALSE(stream.on_time(kStart + 20s - 1ns).has_value());
  EXPECT_EQ(stream.on_time(kStart + 20s), Sample::kSlow);
  EXPECT_FALSE(stream.slow_at().has_value());
  EXPECT_FALSE(stream.on_time(kStart + 40s).has_value());
  EXPECT_FALSE(stream.on_end(Outcome::kTimeout, Reach::kReached).has_value());
}

// Good at first content; then a stall is one more, and nothing after that.
TEST(StreamSamples, GoodAtFirstContentAndOneMoreForAStall) {
  StreamSamples stream(kSlow, kStart);
  EXPECT_EQ(stream.on_content(kStart + 5s), Sample::kGood);
  EXPECT_FALSE(stream.on_content(kStart + 10s).has_value());
  EXPECT_EQ(stream.slow_at(), kStart + 30s);
  EXPECT_EQ(stream.on_time(kStart + 30s), Sample::kSlow);
  EXPECT_FALSE(stream.on_content(kStart + 31s).has_value());
  EXPECT_FALSE(stream.on_end(Outcome::kFault, Reach::kReached).has_value());
}

// A cut after content is one more bad sample; an orderly end and a departure are none.
TEST(StreamSamples, ACutAfterContentIsBad) {
  for (const auto& [outcome, expected] :
       {std::pair{Outcome::kFault, std::optional(Sample::kBad)},
        std::pair{Outcome::kTimeout, std::optional(Sample::kBad)},
        std::pair{Outcome::kOk, std::optional<Sample>()},
        std::pair{Outcome::kCancelled, std::optional<Sample>()}}) {
    StreamSamples stream(kSlow, kStart);
    EXPECT_EQ(stream.on_content(kStart), Sample::kGood);
    EXPECT_EQ(stream.on_end(outcome, Reach::kReached), expected) << name(outcome);
    EXPECT_FALSE(stream.on_end(outcome, Reach::kReached).has_value());
  }
}

// The timer may come later than the content that was late: still slow.
TEST(StreamSamples, ALateTimerDoesNotHideASlowStart) {
  StreamSamples stream(kSlow, kStart);
  EXPECT_EQ(stream.on_content(kStart + 25s), Sample::kSlow);
  EXPECT_EQ(stream.on_content(kStart + 50s), Sample::kSlow);  // a gap of 25 s
  EXPECT_FALSE(stream.on_content(kStart + 90s).has_value());
}

// An end before any content is the attempt's one sample.
TEST(StreamSamples, AnEndWithoutContentIsJudgedByItself) {
  StreamSamples refused(kSlow, kStart);
  EXPECT_EQ(refused.on_end(Outcome::kFault, Reach::kUnreachable), Sample::kUnreachable);
  StreamSamples empty(kSlow, kStart);
  EXPECT_EQ(empty.on_end(Outcome::kOk, Reach::kReached), Sample::kGood);
  StreamSamples late(kSlow, kStart);
  EXPECT_EQ(late.on_time(kStart + 20s), Sample::kSlow);
  EXPECT_FALSE(late.on_content(kStart + 21s).has_value());
  EXPECT_EQ(late.on_end(Outcome::kFault, Reach::kReached), Sample::kBad);
}

}  // namespace
}  // namespace penstock::control
