#include "control/amplification.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/units.h"

namespace penstock::control {
namespace {

using Event = Amplification::Event;

// Feeds one second after another of steady traffic.
struct Feed {
  Event second(std::uint64_t requests, std::uint64_t attempts) {
    asked += requests;
    made += attempts;
    now += 1s;
    return amplification.tick(asked, made, now);
  }
  Amplification amplification;
  std::uint64_t asked = 0;
  std::uint64_t made = 0;
  TimePoint now{1000s};
};

TEST(Amplification, IsOneWithoutRetries) {
  Feed feed;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(feed.second(100, 100), Event::kNone);
  EXPECT_DOUBLE_EQ(feed.amplification.ratio(), 1.0);
}

TEST(Amplification, SaysNothingWithoutRequests) {
  Feed feed;
  EXPECT_EQ(feed.second(0, 0), Event::kNone);
  EXPECT_DOUBLE_EQ(feed.amplification.ratio(), 0.0);
}

// Sixty seconds of 1.5 before the word, one word only, and one when it is over.
TEST(Amplification, TellsOnceAfterAMinute) {
  Feed feed;
  for (int i = 0; i <= 61; ++i) {  // the first is where counting begins
    const Event event = feed.second(100, 150);
    EXPECT_EQ(event, i < 61 ? Event::kNone : Event::kTooHigh) << i;
  }
  EXPECT_EQ(feed.second(100, 150), Event::kNone);
  int seconds = 0;
  while (feed.second(100, 100) == Event::kNone) ASSERT_LT(++seconds, 60);
  // 60 s hold 1.5 for n of them and 1 for the others: at most 1.3 once n ≤ 36.
  EXPECT_NEAR(seconds, 24, 2);
  EXPECT_EQ(feed.second(100, 100), Event::kNone);
}

// A burst that lasts less than a minute above the mark is not told of.
TEST(Amplification, ForgivesABurst) {
  Feed feed;
  for (int i = 0; i < 60; ++i) EXPECT_EQ(feed.second(100, 100), Event::kNone);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(feed.second(100, 300), Event::kNone);
  for (int i = 0; i < 120; ++i) EXPECT_EQ(feed.second(1000, 1000), Event::kNone);
  EXPECT_DOUBLE_EQ(feed.amplification.ratio(), 1.0);
}

}  // namespace
}  // namespace penstock::control
