#include "tests/support/scripted_upstream.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "net/byte_stream.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::test {
namespace {

runtime::Task<> dial(ManualLoop& loop, LoopbackNet& net, runtime::CallContext context,
                     std::unique_ptr<net::ByteStream>& into) {
  const net::Origin origin{.host = "up.test", .port = 443, .tls = nullptr};
  net::Dialled dialled = co_await net.dial(loop, origin, 5s, context);
  into = std::move(dialled.stream);
}

class ScriptedUpstreamTest : public testing::Test {
 public:
  std::unique_ptr<Peer> connect() {
    runtime::Cancellation cancellation;
    runtime::TaskGroup group;
    std::unique_ptr<net::ByteStream> stream;
    const runtime::CallContext context{.cancellation = cancellation};
    group.spawn(dial(loop, net, context, stream));
    loop.run_until_idle();
    return std::make_unique<Peer>(loop, std::move(stream));
  }
  ManualLoop loop;
  LoopbackNet net{loop};
  ScriptedUpstream upstream{loop, net, "up.test:443"};
};

constexpr std::string_view kPost =
    "POST /v1/x HTTP/1.1\r\nHost: up.test\r\nX-Id: 7\r\nContent-Length: 5\r\n\r\nhello";

// Requests are kept whole; answers come in order, on one connection, also when pipelined, and
// wherever the request is cut.
TEST_F(ScriptedUpstreamTest, AnswersInOrderAndKeepsRequests) {
  const std::string two = std::string(kPost) +
                          "POST /v1/y HTTP/1.1\r\nHost: up.test\r\nTransfer-Encoding: chunked\r\n"
                          "\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
  for (std::size_t at = 0; at <= two.size(); ++at) {
    upstream.answer(json_answer("{\"n\":1}"));
    upstream.answer(json_answer(429, "{\"n\":2}"));
    const auto client = connect();
    client->send(two.substr(0, at));
    loop.run_until_idle();
    client->send(two.substr(at));
    loop.run_until_idle();
    ASSERT_EQ(upstream.requests().size(), 2 * at + 2) << "cut at " << at;
    const auto& first = upstream.requests()[2 * at];
    const auto& second = upstream.requests()[2 * at + 1];
    EXPECT_EQ(first.method, "POST");
    EXPECT_EQ(first.body, "hello");
    EXPECT_EQ(first.field("x-id"), "7");
    EXPECT_EQ(second.target, "/v1/y");
    EXPECT_EQ(second.body, "abcd");
    EXPECT_EQ(second.connection, at);
    EXPECT_TRUE(first.answered && second.answered && second.body_complete);
    EXPECT_FALSE(second.peer_left);
    EXPECT_NE(client->received().find("{\"n\":1}HTTP/1.1 429 "), std::string::npos);
  }
}

// A stream takes its time, and a reset is one.
TEST_F(ScriptedUpstreamTest, StreamsOnVirtualTime) {
  upstream.answer({.steps = {stream_head(), step::Event{"one"}, step::Wait{1s}, step::Event{"two"},
                             step::Reset{}},
                   .from = Answer::From::kBody});
  const auto client = connect();
  client->send(kPost);
  loop.run_until_idle();
  EXPECT_TRUE(client->received().ends_with("b\r\ndata: one\n\n\r\n"));
  client->take();
  loop.advance(996ms);
  EXPECT_EQ(client->received(), "");
  loop.advance(8ms);
  EXPECT_TRUE(client->was_reset());
}

// Leaving is seen and told, before an answer ended only.
TEST_F(ScriptedUpstreamTest, SeesThatThePeerLeft) {
  upstream.answer(json_answer("{}"));
  auto client = connect();
  client->send(kPost);
  loop.run_until_idle();
  client.reset();
  loop.run_until_idle();
  EXPECT_FALSE(upstream.requests()[0].peer_left);
  client = connect();
  client->send(kPost);
  loop.run_until_idle();
  EXPECT_EQ(upstream.open(), 1U);
  client.reset();
  loop.run_until_idle();
  EXPECT_TRUE(upstream.requests()[1].peer_left);
  EXPECT_EQ(upstream.open(), 0U);
}

// An answer that begins with the head is sent while the body is still coming; a cut is proper.
TEST_F(ScriptedUpstreamTest, AnswersEarlyAndCuts) {
  Answer early = json_answer(413, "{}");
  early.from = Answer::From::kHead;
  early.steps.emplace_back(step::Cut{});
  upstream.answer(std::move(early));
  const auto client = connect();
  client->send(kPost.substr(0, kPost.size() - 5));
  loop.run_until_idle();
  EXPECT_TRUE(client->received().starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(client->closed());
  EXPECT_FALSE(upstream.requests()[0].body_complete);
}

// What is no request is kept as such: nothing malformed may leave a gateway.
TEST_F(ScriptedUpstreamTest, MarksWhatIsNoRequest) {
  const auto client = connect();
  client->send("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  loop.run_until_idle();
  ASSERT_EQ(upstream.requests().size(), 1U);
  EXPECT_TRUE(upstream.requests()[0].malformed);
}

}  // namespace
}  // namespace penstock::test
