#include "store/redis/client.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/seams.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/redis/command_text.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/reply_parser.h"
#include "store/redis/script.h"
#include "store/redis/slot.h"
#include "store/redis/standing.h"
#include "store/redis/value.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"
#include "tests/support/seeded_rng.h"

// The client on virtual time, with nodes in memory. Against the real server: tests/socket.
namespace penstock::store::redis {
namespace {

using runtime::Task;

// A node: takes commands apart and answers each as it is told; says nothing where that is empty.
class FakeNode {
 public:
  using Answer = std::function<std::string(const std::vector<Value>& words)>;

  FakeNode(test::ManualLoop& loop, test::LoopbackNet& net, std::string place) : loop_(loop) {
    net.listen(place, [this](std::unique_ptr<net::ByteStream> stream) { take(std::move(stream)); });
  }

  // What a call gets; the id is the last word. The greeting is answered well, too, but by a mute
  // one.
  Answer answer = [](const std::vector<Value>& words) { return echo(words); };
  void mute() { mute_ = true; }
  void speak() {
    mute_ = false;
    for (const std::unique_ptr<Guest>& guest : guests_) hear(*guest);
  }
  // Closes every connection.
  void show_out() {
    for (const std::unique_ptr<Guest>& guest : guests_)
      if (!guest->peer->left()) guest->peer->leave();
  }
  std::size_t connections = 0;
  std::size_t calls = 0;

  // {id, the word before it}
  static std::string echo(const std::vector<Value>& words) {
    std::string reply = "*2\r\n";
    append_word(reply, words.back().text);
    append_word(reply, words[words.size() - 2].text);
    return reply;
  }

 private:
  struct Guest {
    std::unique_ptr<test::Peer> peer;
    ReplyParser parser;
  };

  void take(std::unique_ptr<net::ByteStream> stream) {
    ++connections;
    auto guest = std::make_unique<Guest>();
    guest->peer = std::make_unique<test::Peer>(loop_, std::move(stream));
    Guest* const it = guest.get();
    it->peer->on_arrival([this, it] { hear(*it); });
    guests_.push_back(std::move(guest));
    hear(*it);
  }
  void hear(Guest& guest) {
    if (mute_) return;
    const std::string bytes = guest.peer->take();
    std::string_view rest = bytes;
    while (guest.parser.next(rest) == ReplyParser::Step::kReply)
      guest.peer->send(reply_to(guest.parser.take().list));
    if (guest.peer->over() && !guest.peer->left()) guest.peer->leave();
  }
  std::string reply_to(const std::vector<Value>& words) {
    if (words.front().text == "HELLO") return "%0\r\n";
    if (words.front().text == "ASKING" || words.front().text == "SCRIPT") return "+OK\r\n";
    if (words.back().text == "penstock") return "*1\r\n$8\r\npenstock\r\n";  // the probe
    ++calls;
    return answer(words);
  }

  test::ManualLoop& loop_;
  bool mute_ = false;
  std::vector<std::unique_ptr<Guest>> guests_;
};

class CountedLines final : public LogSink {
 public:
  void write(std::string_view) noexcept override { ++lines; }
  int lines = 0;
};

struct Asked {
  bool over = false;
  std::optional<RunResult> result;
  TimePoint at;

  [[nodiscard]] std::optional<OutageReason> reason() const {
    if (!result || *result) return std::nullopt;
    return result->error().reason;
  }
};

class RedisClientInTime : public testing::Test {
 public:
  ~RedisClientInTime() override {
    close();
    loop.advance(5s);
    EXPECT_EQ(group_.running(), 0U);
  }

  FakeNode& add_node(const std::string& place) {
    return *nodes_.emplace_back(std::make_unique<FakeNode>(loop, net, place));
  }
  void close() {
    if (!std::exchange(closed_, true)) group_.spawn(client.close());
  }
  [[nodiscard]] std::size_t running() const noexcept { return group_.running(); }

  static std::shared_ptr<const Endpoint> endpoint() {
    auto made = std::make_shared<Endpoint>();
    made->host = "redis";
    return made;
  }
  static Task<void> ask(RedisClientInTime& it, std::string key, TimePoint due, Asked& into) {
    const std::array<std::string_view, 1> keys = {key};
    const std::array<std::string_view, 1> words = {"word"};
    const Command command{it.script, keys, words};
    into.result = co_await it.client.run(command, due);
    into.at = it.loop.now();
    into.over = true;
  }
  // Begins a call; it may be over already.
  std::unique_ptr<Asked> begin(std::string key, TimePoint due = TimePoint::max()) {
    auto asked = std::make_unique<Asked>();
    group_.spawn(ask(*this, std::move(key), due, *asked));
    return asked;
  }
  // One call from begin to end.
  Asked finish(std::string key) {
    const std::unique_ptr<Asked> asked = begin(std::move(key));
    EXPECT_TRUE(loop.advance_until([&] { return asked->over; }, 1s));
    return *asked;
  }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  CountedLines log;
  Standing standing{log};
  Script script{"return {id, ARGV[1]}"};
  Client client{loop,    net, endpoint(), Client::Options{}, std::make_unique<test::SeededRng>(1),
                standing};

 private:
  std::vector<std::unique_ptr<FakeNode>> nodes_;
  runtime::TaskGroup group_;
  bool closed_ = false;
};

TEST_F(RedisClientInTime, AnswersACallThatCameBeforeTheConnection) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  const Asked asked = finish("{a}");
  ASSERT_TRUE(asked.result.has_value() && asked.result->has_value());
  EXPECT_EQ((*asked.result)->front().text, "word");
  EXPECT_EQ(node.connections, 1U);
}

// A tick of the timer wheel is all that a call may take beyond the time-out.
TEST_F(RedisClientInTime, NoCallWaitsLongerThanTheTimeOut) {
  net.hang("redis:6379");
  client.start();
  const TimePoint began = loop.now();
  const Asked asked = finish("{a}");
  EXPECT_EQ(asked.reason(), OutageReason::kTimedOut);
  EXPECT_EQ(asked.result->error().effect, Effect::kNone);
  EXPECT_GE(asked.at - began, 50ms);
  EXPECT_LE(asked.at - began, 54ms);
}

TEST_F(RedisClientInTime, ACallThatWasSentMayHaveRun) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  loop.advance(10ms);
  node.mute();
  const Asked asked = finish("{a}");
  EXPECT_EQ(asked.reason(), OutageReason::kTimedOut);
  EXPECT_EQ(asked.result->error().effect, Effect::kUnknown);
  node.speak();
  loop.advance(10ms);
  EXPECT_EQ(node.connections, 2U);  // the first is not used again
  EXPECT_TRUE(finish("{a}").result->has_value());
}

TEST_F(RedisClientInTime, OpensWithinAQuarterSecondAndThenCostsNothing) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  loop.advance(10ms);
  node.mute();
  const TimePoint began = loop.now();
  int calls = 0;
  for (; client.available("a"); ++calls) EXPECT_EQ(finish("{a}").reason(), OutageReason::kTimedOut);
  EXPECT_LE(calls, 5);
  EXPECT_LE(loop.now() - began, 250ms + 20ms);
  const std::unique_ptr<Asked> asked = begin("{a}");
  EXPECT_TRUE(asked->over);
  EXPECT_EQ(asked->reason(), OutageReason::kOpen);
  EXPECT_TRUE(standing.degraded());
}

// A server that is away for long is not flooded, and not forgotten.
TEST_F(RedisClientInTime, ProbesAboutOnceASecond) {
  net.fail("redis:6379", net::DialEnd::kRefused);
  client.start();
  for (int i = 0; i < 5; ++i) ignore(finish("{a}"), "refused");
  EXPECT_FALSE(client.available("a"));
  const std::size_t before = net.counts("redis:6379").dials;
  loop.advance(60s);
  const std::size_t probes = net.counts("redis:6379").dials - before;
  EXPECT_GE(probes, 48U);
  EXPECT_LE(probes, 81U);
  EXPECT_EQ(log.lines, 1);
  ignore(add_node("redis:6379"), "answers");
  EXPECT_TRUE(loop.advance_until([&] { return client.available("a"); }, 1300ms));
  EXPECT_EQ(log.lines, 2);
  EXPECT_TRUE(finish("{a}").result->has_value());
}

// Without calls, too: nobody needs to fail for it.
TEST_F(RedisClientInTime, ReconnectsWithBackoffWhileNobodyCalls) {
  net.fail("redis:6379", net::DialEnd::kRefused);
  client.start();
  loop.advance(10s);
  EXPECT_FALSE(client.available("a"));
  EXPECT_LE(net.counts("redis:6379").dials, 20U);
}

// A node that takes us in and shows us out, without a call: it is not stormed.
TEST_F(RedisClientInTime, DoesNotStormANodeThatShowsItOut) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  for (int i = 0; i < 2000; ++i) {
    loop.advance(5ms);
    node.show_out();
  }
  EXPECT_LE(node.connections, 25U);  // ten seconds
  EXPECT_GE(node.connections, 10U);
}

TEST_F(RedisClientInTime, ACallersDeadlineLeavesTheConnectionAlone) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  loop.advance(10ms);
  node.mute();
  const std::unique_ptr<Asked> asked = begin("{a}", loop.now() + 10ms);
  EXPECT_TRUE(loop.advance_until([&] { return asked->over; }, 14ms));
  EXPECT_EQ(asked->reason(), OutageReason::kDeadline);
  loop.advance(10ms);
  EXPECT_EQ(net.counts("redis:6379").open, 1U);
  EXPECT_TRUE(client.available("a"));
}

TEST_F(RedisClientInTime, TakesSoManyCallsAndNoMore) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  loop.advance(10ms);
  node.mute();
  std::vector<std::unique_ptr<Asked>> asked;
  for (std::size_t i = 0; i <= Client::kInFlightMax; ++i) asked.push_back(begin("{a}"));
  EXPECT_TRUE(asked.back()->over || asked[asked.size() - 2]->over);
  EXPECT_EQ(asked.back()->reason(), OutageReason::kFull);
  loop.advance(100ms);
  for (const std::unique_ptr<Asked>& one : asked) EXPECT_TRUE(one->over);
}

// Those who left while a connection is being made leave their places to others.
TEST_F(RedisClientInTime, WhoGaveUpTakesNobodysPlace) {
  net.hang("redis:6379");
  client.start();
  std::vector<std::unique_ptr<Asked>> hasty;
  for (std::size_t i = 0; i < Client::kInFlightMax; ++i)
    hasty.push_back(begin("{a}", loop.now() + 5ms));
  EXPECT_EQ(begin("{a}")->reason(), OutageReason::kFull);
  loop.advance(10ms);
  for (const std::unique_ptr<Asked>& one : hasty) EXPECT_EQ(one->reason(), OutageReason::kDeadline);
  const std::unique_ptr<Asked> asked = begin("{a}");
  EXPECT_FALSE(asked->over);
  loop.advance(60ms);
  EXPECT_EQ(asked->reason(), OutageReason::kTimedOut);
}

std::string moved(std::string_view key, std::string_view place) {
  return "-MOVED " + std::to_string(slot_of_key(key)) + " " + std::string(place) + "\r\n";
}

TEST_F(RedisClientInTime, FollowsARedirectAndRemembersIt) {
  FakeNode& first = add_node("redis:6379");
  FakeNode& second = add_node("redis:7000");
  first.answer = [](const std::vector<Value>&) { return moved("{a}", ":7000"); };  // on this host
  client.start();
  EXPECT_TRUE(finish("{a}").result->has_value());
  EXPECT_TRUE(finish("{a}").result->has_value());
  EXPECT_EQ(first.calls, 1U);
  EXPECT_EQ(second.calls, 2U);
}

TEST_F(RedisClientInTime, NodesThatPointAtOneAnotherEndAfterThreeHops) {
  FakeNode& first = add_node("redis:6379");
  FakeNode& second = add_node("redis:7000");
  first.answer = [](const std::vector<Value>&) { return moved("{a}", "redis:7000"); };
  second.answer = [](const std::vector<Value>&) { return moved("{a}", "redis:6379"); };
  client.start();
  EXPECT_EQ(finish("{a}").reason(), OutageReason::kClusterDown);
  EXPECT_EQ(first.calls + second.calls, 4U);
}

TEST_F(RedisClientInTime, FollowsToSoManyNodesAndNoMore) {
  FakeNode& first = add_node("redis:6379");
  int port = 7000;
  first.answer = [&](const std::vector<Value>& words) {
    return moved(words[3].text, "10.0.0.1:" + std::to_string(port++));
  };
  client.start();
  std::size_t followed = 0;
  for (std::size_t i = 0; i < Client::kNodesMax + 10; ++i)
    if (finish("{" + std::to_string(i) + "}").reason() == OutageReason::kAway) ++followed;
  EXPECT_EQ(followed, Client::kNodesMax - 1);
}

// Nodes come and go with their addresses: one that is away for long leaves its place.
TEST_F(RedisClientInTime, ForgetsALearnedNodeThatStaysAway) {
  FakeNode& first = add_node("redis:6379");
  first.answer = [](const std::vector<Value>&) { return moved("{a}", "redis:7000"); };
  client.start();
  EXPECT_FALSE(finish("{a}").result->has_value());
  loop.advance(2s);
  EXPECT_TRUE(standing.degraded());
  loop.advance(62s);
  EXPECT_FALSE(standing.degraded());
  const std::size_t dials = net.counts("redis:7000").dials;
  loop.advance(60s);
  EXPECT_EQ(net.counts("redis:7000").dials, dials);
}

TEST_F(RedisClientInTime, EndsInBoundedTimeWhateverTheNodeDoes) {
  FakeNode& node = add_node("redis:6379");
  client.start();
  loop.advance(10ms);
  node.mute();
  const std::unique_ptr<Asked> asked = begin("{a}");
  close();
  EXPECT_EQ(begin("{a}")->reason(), OutageReason::kOpen);  // nothing new
  loop.advance(54ms);
  EXPECT_EQ(running(), 0U);
  EXPECT_TRUE(asked->over);
}

bool post_to(Client& client, const Script& script) {
  const std::array<std::string_view, 1> keys = {"{a}"};
  const std::array<std::string_view, 1> words = {"word"};
  return client.post(Command{script, keys, words});
}

TEST_F(RedisClientInTime, SendsWhatWasPostedOverAConnectionThatIsBeingMade) {
  FakeNode& node = add_node("redis:6379");
  node.mute();
  client.start();
  EXPECT_TRUE(post_to(client, script));
  loop.advance(10ms);
  close();
  EXPECT_FALSE(post_to(client, script));  // too late
  loop.advance(10ms);
  node.speak();
  loop.advance(5ms);
  EXPECT_EQ(running(), 0U);
  EXPECT_EQ(node.calls, 1U);
  EXPECT_EQ(standing.drops(), 0U);
}

TEST_F(RedisClientInTime, DoesNotLeaveLaterForAConnectionThatIsNotMade) {
  FakeNode& node = add_node("redis:6379");
  node.mute();
  client.start();
  loop.advance(10ms);
  EXPECT_TRUE(post_to(client, script));
  close();
  loop.advance(54ms);
  EXPECT_EQ(running(), 0U);
  EXPECT_EQ(standing.drops(), 1U);
}

// Connected at the last moment, and then not answered.
TEST_F(RedisClientInTime, ALateConnectionIsGivenNoTimeOfItsOwn) {
  FakeNode& node = add_node("redis:6379");
  node.mute();
  client.start();
  loop.advance(4ms);
  EXPECT_TRUE(post_to(client, script));
  close();
  loop.advance(30ms);
  node.answer = [](const std::vector<Value>&) { return std::string(); };
  node.speak();
  loop.advance(24ms);
  EXPECT_EQ(running(), 0U);
  EXPECT_EQ(node.calls, 1U);
  EXPECT_EQ(standing.drops(), 1U);
}

}  // namespace
}  // namespace penstock::store::redis
