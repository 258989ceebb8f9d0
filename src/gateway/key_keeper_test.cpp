#include "gateway/key_keeper.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/seams.h"
#include "base/units.h"
#include "gateway/key_desk.h"
#include "identity/key_set.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/scripted_upstream.h"
#include "tests/support/seeded_rng.h"
#include "tests/support/token_key.h"

namespace penstock::gateway {
namespace {

using test::Answer;
using test::json_answer;
using WaitEnd = KeyDesk::WaitEnd;

constexpr const char* kPlace = "idp:443";
constexpr Duration kTwoTicks = 2 * runtime::TimerWheel::kTick;

class Lines final : public LogSink {
 public:
  void write(std::string_view line) noexcept override { all.emplace_back(line); }
  std::vector<std::string> all;
};

// A request that waits for a key.
struct Visit {
  runtime::Cancellation cancellation;
  std::optional<WaitEnd> end;  // nullopt: it still waits
  Duration took{};
};

// A key set with these kids, all of one key.
std::string set_of(const std::vector<std::string>& kids) {
  static const std::string kParts = test::TokenKey(test::KeyType::kP256, "").parts();
  std::string text = R"({"keys":[)";
  for (const std::string& kid : kids)
    text += fmt::format(R"({}{},"kid":"{}"}})", kid == kids.front() ? "{" : ",{", kParts, kid);
  return text + "]}";
}

class KeyKeeperTest : public testing::Test {
 public:
  ~KeyKeeperTest() override {
    close();
    EXPECT_EQ(group_.running(), 0U) << "somebody waits for ever";
    EXPECT_EQ(loop.timers().armed(), 0U);
    EXPECT_EQ(net.counts(kPlace).open, 0U);
  }

  void start(Duration refresh = 300s, Duration keep = 24h) {
    keeper = std::make_unique<KeyKeeper>(
        loop, net, std::make_unique<test::SeededRng>(1), log, desk,
        KeyKeeperOptions{.source = {.origin = {.host = "idp", .port = 443},
                                    .authority = "idp.example",
                                    .target = "/jwks.json?a=b"},
                         .refresh = refresh,
                         .keep = keep});
    keeper->start();
    loop.run_until_idle();
  }
  void close() {
    if (keeper == nullptr) return;
    group_.spawn(keeper->close());
    loop.advance(kTwoTicks);  // whoever waits is woken within a tick
    keeper.reset();
  }
  // A request with a token of that kid comes.
  Visit& come(std::optional<std::string> kid) {
    Visit& visit = *visits_.emplace_back(std::make_unique<Visit>());
    group_.spawn(stay(visit, std::move(kid)));
    loop.run_until_idle();
    return visit;
  }
  // Tokens of so many kids that nobody has come at once; counts those that may look again.
  std::size_t flood(std::size_t count, std::size_t first) {
    std::size_t refused = 0;
    for (std::size_t i = 0; i < count; ++i)
      group_.spawn(pass(fmt::format("k{:x}", first + i), refused));
    loop.run_until_idle();
    return refused;
  }
  std::size_t fetches() const { return upstream.requests().size(); }
  // The keys that a worker sees now; 0: none that it may use.
  std::size_t usable() {
    desk.update(mine);
    return mine.usable(loop.now()) ? mine.set->size() : 0;
  }
  std::size_t told(std::string_view what) const {
    std::size_t count = 0;
    for (const std::string& line : log.all)
      if (line.find(what) != std::string::npos) ++count;
    return count;
  }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  test::ScriptedUpstream upstream{loop, net, kPlace};
  Lines log;
  KeyDesk desk;
  KeysInForce mine;
  std::unique_ptr<KeyKeeper> keeper;

 private:
  runtime::Task<void> stay(Visit& visit, std::optional<std::string> kid) {
    const TimePoint began = loop.now();
    visit.end = co_await desk.wait(loop, visit.cancellation, std::move(kid));
    visit.took = loop.now() - began;
  }
  runtime::Task<void> pass(std::string kid, std::size_t& refused) {
    if (co_await desk.wait(loop, never_, std::move(kid)) == WaitEnd::kLookAgain) ++refused;
  }
  std::vector<std::unique_ptr<Visit>> visits_;
  runtime::Cancellation never_;
  runtime::TaskGroup group_;
};

Answer after(Duration time, std::string_view set) {
  Answer answer = json_answer(set);
  answer.steps.insert(answer.steps.begin(), test::step::Wait{time});
  return answer;
}

TEST_F(KeyKeeperTest, FetchesAtTheStartAndAtEachInterval) {
  upstream.answer_always(json_answer(set_of({"a", "b"})));
  start(300s);
  EXPECT_EQ(usable(), 2U);
  EXPECT_EQ(keeper->keys(), 2U);
  const auto& asked = upstream.requests().front();
  EXPECT_EQ(asked.method + " " + asked.target, "GET /jwks.json?a=b");
  EXPECT_EQ(asked.field("host"), "idp.example");
  loop.advance(3000s);
  EXPECT_GE(fetches(), 11U);
  EXPECT_LE(fetches(), 12U);
  for (std::size_t i = 1; i < fetches(); ++i) {
    const Duration pause = upstream.requests()[i].begun - upstream.requests()[i - 1].begun;
    EXPECT_GE(pause, 270s);
    EXPECT_LE(pause, 300s + kTwoTicks) << "a key published one interval ago would be missing";
  }
  EXPECT_EQ(told("key set fetched"), 1U) << "once, not at each fetch";
  EXPECT_EQ(log.all.size(), 1U);
}

// Whoever comes before the first set waits for it, and no longer than a second.
TEST_F(KeyKeeperTest, TheFirstSetIsWaitedFor) {
  upstream.answer(after(400ms, set_of({"a"})));
  start();
  EXPECT_EQ(usable(), 0U);
  const Visit& visit = come(std::nullopt);
  loop.advance(400ms + kTwoTicks);
  EXPECT_EQ(visit.end, WaitEnd::kLookAgain);
  EXPECT_LE(visit.took, 400ms + kTwoTicks);
  EXPECT_EQ(usable(), 1U);
}

TEST_F(KeyKeeperTest, ASilentServerHoldsARequestForASecond) {
  start();
  const Visit& visit = come(std::nullopt);
  loop.advance(1s + kTwoTicks);
  EXPECT_EQ(visit.end, WaitEnd::kTime);
  EXPECT_GE(visit.took, 1s);
  EXPECT_EQ(usable(), 0U);
  loop.advance(4s);
  EXPECT_EQ(keeper->failed(), 1U) << "a fetch is given up after five seconds";
  EXPECT_EQ(told("no answer in time"), 1U);
}

// The first token of a rotated key brings the set that has it.
TEST_F(KeyKeeperTest, ARotatedKeyFailsNoRequest) {
  upstream.answer(json_answer(set_of({"old"})));
  start();
  upstream.answer(after(50ms, set_of({"old", "new"})));
  std::vector<const Visit*> visits;
  for (int i = 0; i < 100; ++i) visits.push_back(&come("new"));
  loop.advance(50ms + kTwoTicks);
  for (const Visit* visit : visits) EXPECT_EQ(visit->end, WaitEnd::kLookAgain);
  EXPECT_EQ(usable(), 2U);
  EXPECT_TRUE(mine.set->knows("new"));
  EXPECT_EQ(fetches(), 2U) << "all share one fetch";
}

// Made-up kids: one fetch, then 30 s of refusals at once.
TEST_F(KeyKeeperTest, AFloodOfKidsCausesOneFetchIn30Seconds) {
  upstream.answer_always(json_answer(set_of({"a"})));
  start(24h);
  for (int second = 0; second < 90; ++second) {
    for (int i = 0; i < 50; ++i) {
      const Visit& visit = come("k" + std::to_string(second * 50 + i));
      EXPECT_EQ(visit.end, WaitEnd::kLookAgain);
      EXPECT_EQ(visit.took, Duration::zero());
    }
    loop.advance(1s);
  }
  EXPECT_EQ(fetches(), 4U) << "one at the start, and at 0, 30 and 60 s";
  EXPECT_EQ(usable(), 1U);
}

// The same at 10,000 tokens a second, past two pauses: no third fetch, and good keys stay.
TEST_F(KeyKeeperTest, TenThousandKidsASecondCauseNoMore) {
  constexpr std::size_t kBatch = 1000;
  constexpr Duration kStep = 100ms;
  constexpr int kSteps = 625;  // 62.5 s
  upstream.answer_always(json_answer(set_of({"a"})));
  start(24h);
  ASSERT_EQ(fetches(), 1U);
  std::size_t refused = 0;
  const TimePoint began = loop.now();
  for (std::size_t i = 0; i < kSteps; ++i) {
    refused += flood(kBatch, i * kBatch);
    EXPECT_EQ(usable(), 1U);
    loop.advance(kStep);
  }
  EXPECT_EQ(refused, kSteps * kBatch);
  ASSERT_EQ(fetches(), 4U) << "one at the start, and at 0, 30 and 60 s";
  for (std::size_t i = 1; i < 4; ++i) {
    const Duration since = upstream.requests()[i].begun - began;
    EXPECT_GE(since, (static_cast<int>(i) - 1) * 30s);
    EXPECT_LE(since, (static_cast<int>(i) - 1) * 30s + kStep);
  }
}

// A fetch that had begun may be older than the key: then one more, within the same second.
TEST_F(KeyKeeperTest, AFetchUnderWayMayBeTooOld) {
  upstream.answer(after(100ms, set_of({"old"})));
  upstream.answer(after(100ms, set_of({"old", "new"})));
  start();
  const Visit& visit = come("new");
  loop.advance(100ms + kTwoTicks);
  EXPECT_EQ(visit.end, std::nullopt);
  loop.advance(100ms + kTwoTicks);
  EXPECT_EQ(visit.end, WaitEnd::kLookAgain);
  EXPECT_EQ(usable(), 2U);
  EXPECT_EQ(fetches(), 2U);
}

// One kid that is not there is asked for once, until the next set comes by itself.
TEST_F(KeyKeeperTest, RemembersKidsThatAreNotThere) {
  upstream.answer_always(json_answer(set_of({"a"})));
  start(600s);
  come("x");
  EXPECT_EQ(fetches(), 2U);
  loop.advance(60s);
  come("x");
  EXPECT_EQ(fetches(), 2U);
  loop.advance(600s);
  const std::size_t periodic = fetches();
  come("x");
  EXPECT_EQ(fetches(), periodic + 1);
}

// Known keys go on while the server is away; operators are told once of each change.
TEST_F(KeyKeeperTest, AnOutageKeepsTheLastKeys) {
  upstream.answer(json_answer(set_of({"a"})));
  upstream.answer_always(json_answer(500, "{}"));
  start(60s, 1h);
  const std::uint64_t first = mine.version;
  loop.advance(50min);
  EXPECT_EQ(usable(), 1U);
  EXPECT_GT(mine.version, first);
  const Visit& visit = come("b");
  EXPECT_EQ(visit.end, WaitEnd::kLookAgain);
  EXPECT_EQ(told("key set not fetched"), 1U);
  EXPECT_EQ(told("status 500"), 1U);
  EXPECT_EQ(told("too old"), 0U);
  loop.advance(11min);
  EXPECT_EQ(usable(), 0U) << "older than `keep`";
  EXPECT_EQ(told("too old"), 1U);
  EXPECT_GT(*keeper->age(), 1h);
  upstream.answer_always(json_answer(set_of({"a"})));
  loop.advance(31s);
  EXPECT_EQ(usable(), 1U);
  EXPECT_EQ(told("key set fetched"), 2U);
  EXPECT_EQ(log.all.size(), 4U);
}

// A failed fetch is repeated soon at first and never more often than it must be.
TEST_F(KeyKeeperTest, RepeatsAFailedFetchAfterAGrowingPause) {
  upstream.answer_always(json_answer(500, "{}"));
  start(300s);
  loop.advance(10min);
  Duration before{};
  for (std::size_t i = 1; i < fetches(); ++i) {
    const Duration pause = upstream.requests()[i].begun - upstream.requests()[i - 1].begun;
    EXPECT_GE(pause, 500ms);
    EXPECT_LE(pause, 30s + kTwoTicks);
    if (i < 5) EXPECT_GT(pause, before / 2);
    before = pause;
  }
  EXPECT_GE(fetches(), 20U);
  EXPECT_LE(fetches(), 48U);
}

// Nothing but a whole set of a proper answer takes the place of the last keys.
TEST_F(KeyKeeperTest, OnlyAProperAnswerIsASet) {
  upstream.answer(json_answer(set_of({"a"})));
  start(60s);
  const auto bytes = [](std::string text) {
    return Answer{.steps = {test::step::Send{std::move(text)}, test::step::Cut{}}};
  };
  const std::string set = set_of({"evil"});
  const std::vector<Answer> bad{
      json_answer(302, set),
      json_answer(404, set),
      json_answer(203, set),
      json_answer("{}"),
      json_answer(R"({"keys":[]})"),
      json_answer("<html>"),
      json_answer(set.substr(1)),
      json_answer(std::string(identity::KeySet::kBytesMax + 1, ' ')),
      bytes("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n" + set),
      bytes("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n" + set),
      bytes("SSH-2.0-x\r\n\r\n"),
      Answer{.steps = {test::step::Cut{}}},
      Answer{.steps = {test::step::Reset{}}},
      Answer{.steps = {test::step::Hang{}}}};
  for (const Answer& answer : bad) upstream.answer(answer);
  upstream.answer_always(json_answer(set_of({"a", "b"})));
  ASSERT_TRUE(loop.advance_until([&] { return keeper->failed() == bad.size(); }, 24h));
  EXPECT_EQ(usable(), 1U);
  EXPECT_FALSE(mine.set->knows("evil"));
  loop.advance(60s);
  EXPECT_EQ(usable(), 2U);
}

TEST_F(KeyKeeperTest, WhatCannotBeReachedIsNamed) {
  net.fail(kPlace, net::DialEnd::kTls);
  start();
  EXPECT_EQ(told("TLS"), 1U);
  const Visit& visit = come(std::nullopt);
  EXPECT_EQ(visit.end, WaitEnd::kLookAgain) << "it fetched for this one, in vain";
  EXPECT_EQ(usable(), 0U);
}

// A request that leaves while it waits is forgotten; the fetch goes on for the others.
TEST_F(KeyKeeperTest, ARequestMayLeaveAtAnyTime) {
  for (int step = 0; step < 30; ++step) {
    upstream.answer(after(100ms, set_of({"a"})));
    start();
    Visit& leaver = come("a");
    Visit& other = come("a");
    loop.advance(step * runtime::TimerWheel::kTick);
    leaver.cancellation.request(runtime::StopReason::kClientGone);
    loop.advance(kTwoTicks);
    EXPECT_TRUE(leaver.end.has_value()) << step;
    loop.advance(200ms);
    EXPECT_EQ(other.end, WaitEnd::kLookAgain) << step;
    close();
  }
}

// The process may leave at every step of a fetch: nobody waits on, nothing stays open.
TEST_F(KeyKeeperTest, MayBeClosedAtAnyTime) {
  const std::string set = set_of({"a"});
  const std::size_t half = set.size() / 2;
  for (int step = 0; step < 60; ++step) {
    upstream.answer({.steps = {test::step::Wait{40ms},
                               test::step::Send{"HTTP/1.1 200 OK\r\ncontent-length: " +
                                                std::to_string(set.size()) + "\r\n"},
                               test::step::Wait{40ms}, test::step::Send{"\r\n"},
                               test::step::Wait{40ms}, test::step::Send{set.substr(0, half)},
                               test::step::Wait{40ms}, test::step::Send{set.substr(half)}}});
    start();
    const Visit& visit = come("a");
    loop.advance(step * runtime::TimerWheel::kTick);
    close();
    EXPECT_TRUE(visit.end.has_value()) << step;
    EXPECT_EQ(come("b").end, WaitEnd::kLookAgain) << "nothing can come any more";
    loop.advance(1s);
    EXPECT_EQ(net.counts(kPlace).open, 0U) << step;
  }
}

// Waiting is bounded: beyond it a request is told so at once.
TEST_F(KeyKeeperTest, SoManyWaitAndNoMore) {
  start();  // a silent server
  for (std::size_t i = 0; i < KeyDesk::kWaitersMax; ++i)
    ASSERT_EQ(come(std::nullopt).end, std::nullopt);
  EXPECT_EQ(come(std::nullopt).end, WaitEnd::kFull);
  loop.advance(1s + kTwoTicks);
  EXPECT_EQ(come(std::nullopt).end, std::nullopt) << "those before have left";
  loop.advance(1s + kTwoTicks);
}

}  // namespace
}  // namespace penstock::gateway
