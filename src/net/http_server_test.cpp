#include "net/http_server.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "net/exchange.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "tests/support/http_rig.h"
#include "tests/support/peer.h"

namespace penstock::net {
namespace {

using runtime::StopReason;
using test::HttpRig;
using test::Peer;
using test::reply_text;
using test::RigHandler;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kPost = "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kChunked =
    "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    "4;x=y\r\nabcd\r\n2\r\nef\r\n0\r\nTrailer: t\r\n\r\n";
constexpr std::string_view kEmptyPost = "POST /d HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n";

std::string replies_to_all() {
  return reply_text("GET /a ") + reply_text("POST /b hello") + reply_text("POST /c abcdef") +
         reply_text("POST /d ");
}
std::string all_requests() {
  return std::string(kGet) + std::string(kPost) + std::string(kChunked) + std::string(kEmptyPost);
}

// One connection serves request after request.
TEST(HttpServer, KeepsAConnectionForFurtherRequests) {
  HttpRig rig;
  const auto client = rig.connect();
  rig.send(*client, kGet);
  EXPECT_EQ(client->take(), reply_text("GET /a "));
  rig.loop.advance(70s);
  rig.send(*client, kPost);
  EXPECT_EQ(client->take(), reply_text("POST /b hello"));
  EXPECT_FALSE(client->over());
  EXPECT_EQ(rig.server.connections(), 1U);
}

// Pipelined requests are answered in order, one at a time.
TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  HttpRig rig;
  rig.handler.how = &RigHandler::hold;
  const auto client = rig.connect();
  rig.send(*client, std::string(kPost) + std::string(kChunked));
  EXPECT_EQ(rig.handler.served, 1);
  rig.handler.release.wake();
  rig.loop.run_until_idle();
  EXPECT_EQ(client->take(), reply_text("hello"));
  EXPECT_EQ(rig.handler.served, 2);
  rig.handler.release.wake();
  rig.loop.run_until_idle();
  EXPECT_EQ(client->take(), reply_text("abcdef"));
  EXPECT_FALSE(client->over());
}

// The network may cut a message anywhere, with any time between.
TEST(HttpServer, AnswersTheSameWhereverRequestsAreCut) {
  HttpRig rig;
  const std::string requests = all_requests();
  for (std::size_t at = 0; at <= requests.size(); ++at) {
    const auto client = rig.connect();
    rig.send(*client, std::string_view(requests).substr(0, at));
    rig.loop.advance(1s);
    rig.send(*client, std::string_view(requests).substr(at));
    ASSERT_EQ(client->received(), replies_to_all()) << "cut at " << at;
    ASSERT_FALSE(client->over()) << "cut at " << at;
  }
}

// A byte a packet, both ways, and a buffer of one byte.
TEST(HttpServer, AnswersAByteAtATime) {
  HttpRig rig;
  const auto client = rig.connect({.bytes_per_read = 1}, {.capacity = 1, .bytes_per_read = 1});
  rig.send(*client, all_requests());
  EXPECT_EQ(client->received(), replies_to_all());
}

// HTTP/1.0 closes unless both sides want otherwise, and says so.
TEST(HttpServer, SpeaksHttp10) {
  HttpRig rig;
  const auto client = rig.connect();
  rig.send(*client, "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client->take(), reply_text("GET /a ", "connection: keep-alive\r\n"));
  EXPECT_FALSE(client->over());
  rig.send(*client, "GET /a HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client->take(), reply_text("GET /a ", "connection: close\r\n"));
  EXPECT_TRUE(client->closed());
}

// RFC 9112 section 9.6: after "close" nothing more is served.
TEST(HttpServer, ClosesWhenAsked) {
  HttpRig rig;
  const auto client = rig.connect();
  rig.send(*client, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client->received(), reply_text("GET /a ", "connection: close\r\n"));
  EXPECT_TRUE(client->closed());
  EXPECT_EQ(rig.server.connections(), 0U);
}

// A HEAD reply tells the length and has no body, so that the next reply is where it should be.
TEST(HttpServer, AnswersHeadWithoutABody) {
  HttpRig rig;
  const auto client = rig.connect();
  rig.send(*client, "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(kGet));
  EXPECT_EQ(client->received(),
            "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n" + reply_text("GET /a "));
}

// Connections that say nothing, or half of something, do not stay.
TEST(HttpServer, ClosesWhatSendsNoHead) {
  HttpRig rig({.head = {}, .head_wait = 10s});
  const auto silent = rig.connect();
  const auto slow = rig.connect();
  rig.send(*slow, "GET /a HT");
  for (int i = 0; i < 9; ++i) {
    rig.loop.advance(1s);
    rig.send(*slow, i == 0 ? "TP/1.1\r\nHost: h\r\nX: " : "x");
  }
  rig.loop.advance(900ms);
  EXPECT_FALSE(silent->over());
  EXPECT_FALSE(slow->over());
  rig.loop.advance(200ms);
  EXPECT_TRUE(silent->over());
  EXPECT_TRUE(slow->over());
  EXPECT_EQ(rig.handler.served, 0);
  EXPECT_EQ(rig.server.connections(), 0U);
}

// Between requests the longer time-out counts, and a head begun gets its own.
TEST(HttpServer, ClosesIdleConnections) {
  HttpRig rig;
  const auto idle = rig.connect();
  const auto half = rig.connect();
  rig.send(*idle, kGet);
  rig.send(*half, kGet);
  rig.loop.advance(70s);
  rig.send(*half, "GET");
  rig.loop.advance(4900ms);
  EXPECT_FALSE(idle->over());
  rig.loop.advance(200ms);
  EXPECT_TRUE(idle->closed());
  EXPECT_FALSE(half->over());
  rig.loop.advance(5s);
  EXPECT_TRUE(half->over());
}

// A head that could be read in two ways ends the connection: what follows is not believed.
TEST(HttpServer, RefusesABrokenHeadAndCloses) {
  HttpRig rig;
  const auto client = rig.connect();
  rig.send(*client, "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + std::string(kGet));
  EXPECT_EQ(client->received(),
            "HTTP/1.1 400 Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  EXPECT_TRUE(client->closed());
  EXPECT_EQ(rig.handler.refused, (std::vector{ErrorCode::kInvalidRequest}));
  EXPECT_EQ(rig.handler.served, 0);
  rig.loop.advance(3s);
  EXPECT_EQ(rig.server.connections(), 0U);
}

// Same with limits, whose end of head is never seen, wherever the head is cut.
TEST(HttpServer, RefusesAHeadThatIsTooLarge) {
  const std::string head = "GET /a HTTP/1.1\r\nHost: h\r\nX: " + std::string(60, 'x');
  for (std::size_t at = 0; at <= head.size(); ++at) {
    HttpRig rig({.head = {.header_bytes = 64}});
    const auto client = rig.connect();
    rig.send(*client, std::string_view(head).substr(0, at));
    rig.send(*client, std::string_view(head).substr(at));
    ASSERT_EQ(rig.handler.refused, (std::vector{ErrorCode::kHeaderTooLarge})) << at;
    ASSERT_TRUE(client->received().starts_with("HTTP/1.1 431 ")) << at;
  }
}

// Each way in which a client can leave while it is being served stops the work.
TEST(HttpServer, TellsWhenTheClientLeaves) {
  const std::vector<void (*)(Peer&)> ways = {
      [](Peer& client) { client.leave(); },
      [](Peer& client) { client.leave_with_reset(); },
      [](Peer& client) { client.half_close(); },
      [](Peer& client) {
        client.send(kGet);  // pipelined, then gone
        client.leave_after_sending();
      },
  };
  for (const auto leave : ways) {
    HttpRig rig;
    rig.handler.how = &RigHandler::hold;
    const auto client = rig.connect();
    rig.send(*client, kPost);
    ASSERT_EQ(rig.handler.served, 1);
    EXPECT_TRUE(rig.handler.stopped.empty());
    leave(*client);
    rig.loop.advance(8ms);
    EXPECT_EQ(rig.handler.stopped, (std::vector{StopReason::kClientGone}));
    EXPECT_EQ(rig.handler.served, 1);
    EXPECT_EQ(rig.server.connections(), 0U);
    EXPECT_EQ(client->received(), "");
  }
}

// A client that leaves between or within requests is no request at all.
TEST(HttpServer, AClientMayLeaveAtAnyByte) {
  HttpRig rig;
  const std::string requests = std::string(kPost) + std::string(kChunked);
  for (std::size_t at = 0; at <= requests.size(); ++at) {
    const auto client = rig.connect();
    rig.send(*client, std::string_view(requests).substr(0, at));
    if (at % 2 == 0)
      client->leave();
    else
      client->leave_with_reset();
    rig.loop.run_until_idle();
    ASSERT_EQ(rig.server.connections(), 0U) << at;
  }
}

// A handler that gives up leaves a visibly broken connection, not a short reply.
TEST(HttpServer, ResetsWhatWasNotAnswered) {
  HttpRig rig;
  rig.handler.how = [](RigHandler&, Exchange& exchange) -> runtime::Task<void> {
    exchange.break_off();
    co_return;
  };
  const auto client = rig.connect();
  rig.send(*client, kGet);
  EXPECT_TRUE(client->was_reset());
}

// Leaving: idle connections close, work is told and gets to answer, nobody new is served.
TEST(HttpServer, ShutsDownInTwoPhases) {
  HttpRig rig;
  const auto fresh = rig.connect();
  const auto idle = rig.connect();
  rig.send(*idle, kGet);
  rig.handler.how = &RigHandler::hold;
  const auto busy = rig.connect();
  rig.send(*busy, kPost);
  rig.server.shut_down();
  rig.loop.run_until_idle();
  EXPECT_TRUE(fresh->closed());
  EXPECT_TRUE(idle->closed());
  EXPECT_FALSE(busy->over());
  const auto late = rig.connect();
  rig.loop.run_until_idle();
  EXPECT_TRUE(late->closed());
  rig.loop.advance(8ms);
  EXPECT_EQ(rig.handler.stopped.back(), StopReason::kShutdown);
  EXPECT_EQ(busy->received(), reply_text("hello", "connection: close\r\n"));
  EXPECT_TRUE(busy->closed());
  EXPECT_EQ(rig.server.connections(), 0U);
}

// The first step of leaving: whoever is connected or connects is served, once more.
TEST(HttpServer, ClosesAfterEachReplyOnceItLeaves) {
  HttpRig rig;
  const auto kept = rig.connect();
  rig.send(*kept, kGet);
  EXPECT_EQ(kept->take(), reply_text("GET /a "));
  rig.server.close_after_replies();
  rig.loop.run_until_idle();
  EXPECT_FALSE(kept->over());
  rig.send(*kept, kGet);
  const auto fresh = rig.connect();
  rig.send(*fresh, std::string(kPost) + std::string(kGet));
  EXPECT_EQ(kept->received(), reply_text("GET /a ", "connection: close\r\n"));
  EXPECT_EQ(fresh->received(), reply_text("POST /b hello", "connection: close\r\n"));
  EXPECT_TRUE(kept->closed() && fresh->closed());
  EXPECT_EQ(rig.handler.late, 0);
}

// A reply whose head is on its way keeps its word; one that is still to be made says close.
TEST(HttpServer, TellsWhoIsBeingServedToClose) {
  HttpRig rig;
  rig.handler.how = &RigHandler::hold;
  const auto busy = rig.connect();
  rig.send(*busy, kPost);
  rig.server.close_after_replies();
  rig.server.close_idle();
  rig.loop.advance(30s);
  EXPECT_FALSE(busy->over());
  rig.handler.release.wake();
  rig.loop.run_until_idle();
  EXPECT_EQ(busy->received(), reply_text("hello", "connection: close\r\n"));
  EXPECT_TRUE(busy->closed());
  EXPECT_EQ(rig.handler.stopped.back(), StopReason::kNone);
}

// The second step: a connection between two requests ends; whoever was let in last has a second.
TEST(HttpServer, ClosesIdleConnectionsAndWaitsForTheLastThatCame) {
  HttpRig rig;
  const auto kept = rig.connect();
  rig.send(*kept, kGet);
  const auto unused = rig.connect();
  rig.loop.advance(2s);
  const auto last = rig.connect();
  rig.loop.advance(900ms);
  rig.server.close_idle();
  rig.loop.run_until_idle();
  EXPECT_TRUE(kept->closed());
  rig.loop.advance(4ms);
  EXPECT_TRUE(unused->closed());
  rig.loop.advance(90ms);
  EXPECT_FALSE(last->over());
  const auto after = rig.connect();
  rig.send(*last, kGet);
  EXPECT_EQ(last->received(), reply_text("GET /a ", "connection: close\r\n"));
  rig.loop.advance(990ms);
  EXPECT_FALSE(after->over());
  rig.loop.advance(20ms);
  EXPECT_TRUE(after->closed());
  EXPECT_EQ(rig.server.connections(), 0U);
  EXPECT_EQ(rig.handler.late, 0);
}

// Wherever the close meets a further request, its client gets an answer, not a broken connection.
TEST(HttpServer, LosesNoRequestThatHasBegunToArrive) {
  for (std::size_t at = 1; at <= kGet.size(); ++at) {
    for (const bool read : {false, true}) {
      HttpRig rig;
      const auto client = rig.connect();
      rig.send(*client, kGet);
      client->take();
      client->send(kGet.substr(0, at));
      if (read) rig.loop.run_until_idle();
      rig.server.close_idle();
      rig.loop.run_until_idle();
      rig.send(*client, kGet.substr(at));
      EXPECT_EQ(rig.handler.late, read && at == kGet.size() ? 0 : 1) << at;
      EXPECT_TRUE(client->take().starts_with("HTTP/1.1 200 OK\r\n")) << at;
      EXPECT_TRUE(client->closed()) << at;
    }
  }
}

// One that begins and does not go on holds up the end no longer than any head may take.
TEST(HttpServer, HalfAHeadEndsInItsTime) {
  HttpRig rig({.head_wait = 10s});
  const auto client = rig.connect();
  rig.send(*client, kGet);
  client->send("GET /a HT");
  rig.server.close_idle();
  rig.loop.advance(9900ms);
  EXPECT_FALSE(client->over());
  rig.loop.advance(200ms);
  EXPECT_TRUE(client->over());
}

// The last step: what is in the midst of arriving is told to go elsewhere.
TEST(HttpServer, RequestsThatArriveDuringTheEndComeLate) {
  HttpRig rig;
  const auto half = rig.connect();
  rig.send(*half, kGet.substr(0, 9));
  const auto fresh = rig.connect();
  fresh->send(kGet);
  rig.server.shut_down();
  rig.loop.run_until_idle();
  rig.send(*half, kGet.substr(9));
  EXPECT_EQ(rig.handler.late, 2);
  EXPECT_TRUE(fresh->closed() && half->closed());
}

// The deadline of the drain: everything ends, in whatever state it is.
TEST(HttpServer, AbortLeavesNothingRunning) {
  HttpRig rig;
  rig.handler.how = &RigHandler::hold;
  const auto fresh = rig.connect();
  const auto in_head = rig.connect();
  const auto in_body = rig.connect();
  const auto held = rig.connect();
  rig.send(*in_head, "GET /a HT");
  rig.send(*in_body, kPost.substr(0, kPost.size() - 2));
  rig.send(*held, kGet);
  EXPECT_EQ(rig.server.connections(), 4U);
  rig.server.abort();
  rig.loop.advance(8ms);
  EXPECT_EQ(rig.server.connections(), 0U);
  EXPECT_TRUE(fresh->over() && in_head->over() && in_body->over());
  EXPECT_TRUE(held->was_reset());
}

}  // namespace
}  // namespace penstock::net
