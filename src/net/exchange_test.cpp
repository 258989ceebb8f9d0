#include "net/exchange.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/http_server.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/task_group.h"
#include "tests/support/http_rig.h"
#include "tests/support/peer.h"

// How replies leave; bodies of requests are in exchange_body_test.cpp.
namespace penstock::net {
namespace {

using runtime::StopReason;
using runtime::Task;
using test::HttpRig;
using test::Peer;
using test::reply_text;
using test::RigHandler;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kStreamHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

// Each write is one chunk, whatever pieces it has; the connection serves on after the last one.
TEST(Exchange, StreamsAsChunks) {
  HttpRig rig;
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces = {"hello", std::string(300, 'x'), "!"};
  const auto client = rig.connect();
  rig.send(*client, kGet);
  EXPECT_EQ(client->take(), std::string(kStreamHead) + "5\r\nhello\r\n12c\r\n" +
                                std::string(300, 'x') + "\r\n1\r\n!\r\n0\r\n\r\n");
  rig.handler.pieces = {};
  rig.send(*client, kGet);
  EXPECT_EQ(client->take(), std::string(kStreamHead) + "0\r\n\r\n");
}

// HTTP/1.0 knows no chunks: the stream ends with the connection.
TEST(Exchange, StreamsToHttp10UntilTheClose) {
  HttpRig rig;
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces = {"one", "two"};
  const auto client = rig.connect();
  rig.send(*client, "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client->received(), "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nonetwo");
  EXPECT_TRUE(client->closed());
}

// The head alone answers HEAD, also where a stream would follow.
TEST(Exchange, StreamsNothingToHead) {
  HttpRig rig;
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces = {"one", "two"};
  const auto client = rig.connect();
  rig.send(*client, "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client->received(), kStreamHead);
  EXPECT_FALSE(client->over());
}

Task<void> many_pieces(RigHandler& self, Exchange& exchange) {
  std::vector<std::string_view> pieces;
  for (const std::string& piece : self.pieces) pieces.push_back(piece);
  self.ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", pieces));
}

// A reply may have more pieces than one write takes, and empty ones.
TEST(Exchange, RepliesWithAnyNumberOfPieces) {
  for (const std::size_t count : {0U, 1U, 19U, 20U, 21U, 40U, 41U, 100U}) {
    HttpRig rig;
    rig.handler.how = many_pieces;
    std::string body;
    for (std::size_t i = 0; i < count; ++i) {
      rig.handler.pieces.push_back(i % 3 == 1 ? "" : std::to_string(i));
      body += rig.handler.pieces.back();
    }
    const auto client = rig.connect();
    rig.send(*client, kGet);
    EXPECT_EQ(client->received(), reply_text(body)) << count;
  }
}

// A client that does not read makes the writer wait, and nothing is buffered for it meanwhile.
TEST(Exchange, WaitsForAClientThatDoesNotRead) {
  HttpRig rig;
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces.assign(50, std::string(1000, 'x'));
  const auto client = rig.connect({}, {.capacity = 8000}, Peer::Reading::kPaused);
  rig.send(*client, kGet);
  const std::size_t written = rig.handler.ends.size();
  EXPECT_LT(written, 10U);
  rig.loop.advance(50s);
  EXPECT_EQ(rig.handler.ends.size(), written);
  client->resume_reading();
  rig.loop.run_until_idle();
  EXPECT_EQ(rig.handler.ends, std::vector(51, IoEnd::kOk));
  EXPECT_TRUE(client->received().ends_with("xx\r\n0\r\n\r\n"));
  EXPECT_FALSE(client->over());
}

// One that reads nothing for write_stall is gone; slow progress is not a stall of the whole reply.
TEST(Exchange, AClientThatStallsIsGone) {
  HttpRig rig({.head = {}, .write_stall = 60s});
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces.assign(50, std::string(1000, 'x'));
  const auto client = rig.connect({}, {.capacity = 8000}, Peer::Reading::kPaused);
  rig.send(*client, kGet);
  rig.loop.advance(59s);
  EXPECT_TRUE(rig.handler.stopped.empty());
  rig.loop.advance(2s);
  EXPECT_EQ(rig.handler.stopped, (std::vector{StopReason::kClientGone}));
  EXPECT_NE(rig.handler.ends.back(), IoEnd::kOk);
  EXPECT_EQ(rig.server.connections(), 0U);
  client->resume_reading();
  rig.loop.run_until_idle();
  EXPECT_TRUE(client->was_reset());  // never a proper end of half a reply
}

Task<void> one_large(RigHandler& self, Exchange& exchange) {
  exchange.watch_client();
  const std::string_view pieces[] = {self.pieces[0]};
  self.ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", pieces));
  self.stopped.push_back(exchange.cancellation().reason());
}

// A stream whose writes never end by themselves; `written` says how much the peer took.
class Trickle final : public ByteStream {
 public:
  explicit Trickle(test::ManualLoop& loop) : loop_(loop) {}
  std::optional<IoResult> start_read(std::span<char>, IoWaiter&) override { return std::nullopt; }
  std::optional<IoResult> start_write(std::span<const std::string_view>,
                                      IoWaiter& waiter) override {
    waiter_ = &waiter;
    return std::nullopt;
  }
  std::uint64_t bytes_taken() const noexcept override { return written; }
  bool has_unread() noexcept override { return false; }
  void cancel() noexcept override {
    loop_.post([this] { waiter_->complete({IoEnd::kCancelled, 0}); });
  }
  void cancel_read() noexcept override {}
  void shut_down_writing() noexcept override {}
  void reset_on_close() noexcept override {}

  std::uint64_t written = 0;

 private:
  test::ManualLoop& loop_;
  IoWaiter* waiter_ = nullptr;
};

Task<void> reply_with(Exchange& exchange, std::vector<IoEnd>& ends) {
  const std::string_view pieces[] = {"much"};
  ends.push_back(co_await exchange.reply("HTTP/1.1 200 OK\r\n", pieces));
}

// One write may take far longer than write_stall, as long as the client takes some of it.
TEST(Exchange, AClientThatReadsSlowlyIsNotGone) {
  test::ManualLoop loop;
  Trickle stream(loop);
  Input input(stream);
  Exchange exchange(stream, input, loop, 10s);
  std::vector<IoEnd> ends;
  runtime::TaskGroup tasks;
  tasks.spawn(reply_with(exchange, ends));
  for (int i = 0; i < 20; ++i) {
    ++stream.written;
    loop.advance(9s);
  }
  EXPECT_FALSE(exchange.client_left());
  loop.advance(21s);
  EXPECT_TRUE(exchange.client_left());
  EXPECT_EQ(ends, std::vector{IoEnd::kCancelled});
}

// Behind the request's deadline it has write_stall left, however much it takes meanwhile.
TEST(Exchange, AClientThatReadsSlowlyHasAnEndBehindTheDeadline) {
  test::ManualLoop loop;
  Trickle stream(loop);
  Input input(stream);
  Exchange exchange(stream, input, loop, 10s);
  exchange.end_writes_behind(loop.now() + 30s);
  std::vector<IoEnd> ends;
  runtime::TaskGroup tasks;
  tasks.spawn(reply_with(exchange, ends));
  const TimePoint began = loop.now();
  while (!exchange.client_left() && loop.now() - began < 100s) {
    ++stream.written;
    loop.advance(1s);
  }
  EXPECT_GE(loop.now() - began, 40s);
  EXPECT_LE(loop.now() - began, 41s);
  loop.run_until_idle();
  EXPECT_EQ(ends, std::vector{IoEnd::kCancelled});
}

// The same within the very last write of a reply: the peer must see that it was broken off.
TEST(Exchange, AStallInTheLastWriteIsABrokenReplyToo) {
  for (const std::string_view request : {kGet, std::string_view("GET /a HTTP/1.0\r\n\r\n")}) {
    HttpRig rig;
    rig.handler.how = one_large;
    rig.handler.pieces = {std::string(50'000, 'x')};
    const auto client = rig.connect({}, {.capacity = 8000}, Peer::Reading::kPaused);
    rig.send(*client, request);
    rig.loop.advance(61s);
    EXPECT_EQ(rig.handler.stopped, (std::vector{StopReason::kClientGone}));
    client->resume_reading();
    rig.loop.run_until_idle();
    EXPECT_TRUE(client->was_reset());
  }
}

// A client that leaves while a write waits ends the write.
TEST(Exchange, AClientThatLeavesEndsAWaitingWrite) {
  HttpRig rig;
  rig.handler.how = &RigHandler::stream;
  rig.handler.pieces.assign(50, std::string(1000, 'x'));
  const auto client = rig.connect({}, {.capacity = 8000}, Peer::Reading::kPaused);
  rig.send(*client, kGet);
  client->leave_with_reset();
  rig.loop.run_until_idle();
  EXPECT_EQ(rig.handler.stopped, (std::vector{StopReason::kClientGone}));
  EXPECT_EQ(rig.server.connections(), 0U);
}

Task<void> break_in_the_middle(RigHandler&, Exchange& exchange) {
  exchange.begin("HTTP/1.1 200 OK\r\n", ReplyFraming{});
  const std::string_view pieces[] = {"half"};
  const IoEnd end = co_await exchange.write(pieces);
  EXPECT_EQ(end, IoEnd::kOk);
  exchange.break_off();
}

// A reply that cannot be completed must not look complete.
TEST(Exchange, BreakingOffIsVisible) {
  HttpRig rig;
  rig.handler.how = break_in_the_middle;
  const auto client = rig.connect();
  rig.send(*client, std::string(kGet) + std::string(kGet));
  EXPECT_TRUE(client->was_reset());
  EXPECT_EQ(rig.handler.served, 1);
}

Task<void> finish_with_pieces(RigHandler&, Exchange& exchange) {
  exchange.begin("HTTP/1.1 200 OK\r\n", ReplyFraming{});
  const std::string_view pieces[] = {"a", "", "b"};
  const std::string_view none[] = {""};
  IoEnd end = co_await exchange.write(none);
  EXPECT_EQ(end, IoEnd::kOk);
  end = co_await exchange.finish(pieces);
  EXPECT_EQ(end, IoEnd::kOk);
}

// An empty piece is no chunk: that would end the body.
TEST(Exchange, EmptyPiecesAreNoChunks) {
  HttpRig rig;
  rig.handler.how = finish_with_pieces;
  const auto client = rig.connect();
  rig.send(*client, kGet);
  EXPECT_EQ(client->received(), std::string(kStreamHead) + "2\r\nab\r\n0\r\n\r\n");
}

// started() is the moment of the complete head: waiting for it is not the server's time.
TEST(Exchange, StartsWhenTheHeadIsComplete) {
  static TimePoint started;
  HttpRig rig;
  rig.handler.how = [](RigHandler& self, Exchange& exchange) {
    started = exchange.started();
    return RigHandler::echo(self, exchange);
  };
  const auto client = rig.connect();
  rig.send(*client, kGet.substr(0, 10));
  rig.loop.advance(2s);
  const TimePoint complete = rig.loop.now();
  rig.send(*client, kGet.substr(10));
  EXPECT_EQ(started, complete);
}

}  // namespace
}  // namespace penstock::net
