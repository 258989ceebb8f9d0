#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_budget.h"
#include "base/error_code.h"
#include "base/units.h"
#include "net/http_server.h"
#include "tests/support/http_rig.h"
#include "tests/support/peer.h"
#include "wire/chunked.h"

// How the bodies of requests arrive.
namespace penstock::net {
namespace {

using test::HttpRig;
using test::Peer;
using test::reply_text;
using test::RigHandler;

constexpr std::string_view kGet = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

std::string sized(std::size_t length, std::string_view body,
                  std::string_view fields = std::string_view()) {
  return "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         std::string(fields) + "\r\n" + std::string(body);
}
std::string chunked(std::string_view framed, std::string_view fields = std::string_view()) {
  return "POST /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n" + std::string(fields) +
         "\r\n" + std::string(framed);
}
std::string in_chunks(std::string_view body, std::size_t size) {
  std::string framed;
  for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) {
    const std::string_view chunk = body.substr(0, size);
    wire::append_chunk_head(framed, chunk.size());
    framed.append(chunk) += wire::kChunkEnd;
  }
  return framed + std::string(wire::kLastChunk);
}
std::string pattern(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + ",";
  text.resize(size);
  return text;
}

// Sizes around the input's blocks and beyond, in both framings, with a request behind each.
TEST(ExchangeBody, ReadsBodiesOfAnySize) {
  for (const std::size_t size : {1U, 4000U, 4096U, 4097U, 8192U, 65'535U, 65'537U, 100'000U}) {
    HttpRig rig;
    const std::string body = pattern(size);
    const auto client = rig.connect({.bytes_per_read = 1500});
    rig.send(*client, sized(size, body) + std::string(kGet));
    ASSERT_EQ(client->take(), reply_text("POST /b " + body) + reply_text("GET /a ")) << size;
    rig.send(*client, chunked(in_chunks(body, 999)) + std::string(kGet));
    ASSERT_EQ(client->take(), reply_text("POST /b " + body) + reply_text("GET /a ")) << size;
    EXPECT_EQ(rig.handler.memory.used(), 0_B);
  }
}

// The head stays readable however the body arrives: the reply here tells method and target.
TEST(ExchangeBody, KeepsTheHeadReadableWhileTheBodyGrows) {
  const std::string body = pattern(9000);
  for (const std::size_t packet : {1U, 7U, 512U, 4095U, 4096U}) {
    HttpRig rig;
    const auto client = rig.connect({.bytes_per_read = packet});
    rig.send(*client, chunked(in_chunks(body, 100)));
    ASSERT_EQ(client->received(), reply_text("POST /b " + body)) << packet;
  }
}

// RFC 9110 section 10.1.1: 100 is sent to who waits for it, not to who sent the body already.
TEST(ExchangeBody, ContinuesWhoWaits) {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const std::string head = sized(5, "", "Expect: 100-continue\r\n");
  HttpRig rig;
  const auto waits = rig.connect();
  rig.send(*waits, head);
  EXPECT_EQ(waits->take(), kContinue);
  rig.send(*waits, "hello");
  EXPECT_EQ(waits->take(), reply_text("POST /b hello"));
  rig.send(*waits, head + "hello");
  EXPECT_EQ(waits->take(), reply_text("POST /b hello"));
  rig.send(*waits, chunked("", "Expect: 100-continue\r\n"));
  EXPECT_EQ(waits->take(), kContinue);
  rig.send(*waits, "1\r\nx\r\n0\r\n\r\n");
  EXPECT_EQ(waits->take(), reply_text("POST /b x"));
}

// Who announces too much is refused before any of it is read, and never asked to go on.
TEST(ExchangeBody, RefusesALengthThatIsTooLarge) {
  HttpRig rig;
  rig.handler.body_bytes_max = 100;
  const auto client = rig.connect();
  rig.send(*client, sized(100, pattern(100)));
  EXPECT_TRUE(client->take().starts_with("HTTP/1.1 200 "));
  rig.send(*client, sized(101, "", "Expect: 100-continue\r\n"));
  EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kBodyTooLarge}));
  EXPECT_TRUE(client->received().starts_with("HTTP/1.1 413 "));
  EXPECT_NE(client->received().find("connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(client->closed());
}

// Without a length the limit counts as the body grows.
TEST(ExchangeBody, RefusesABodyThatGrowsTooLarge) {
  HttpRig rig;
  rig.handler.body_bytes_max = 100;
  const auto client = rig.connect();
  rig.send(*client, chunked(in_chunks(pattern(100), 10)));
  EXPECT_TRUE(client->take().starts_with("HTTP/1.1 200 "));
  rig.send(*client, chunked("64\r\n" + pattern(100) + "\r\n"));
  EXPECT_TRUE(rig.handler.failed.empty());
  rig.send(*client, "1\r\nx");
  EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kBodyTooLarge}));
  EXPECT_TRUE(client->received().starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(client->closed());
}

// The memory that all bodies share is a bound, too.
TEST(ExchangeBody, RefusesWhatMemoryCannotHold) {
  HttpRig rig;
  rig.handler.body_bytes_max = 10 << 20;
  const auto first = rig.connect();
  rig.send(*first, sized(1'000'000, "some"));
  EXPECT_EQ(rig.handler.memory.used(), Bytes{1'000'000});
  const auto second = rig.connect();
  rig.send(*second, sized(100'000, "some"));
  const auto third = rig.connect();
  rig.send(*third, chunked("1\r\nx\r\n"));
  EXPECT_EQ(rig.handler.failed, std::vector(2, ErrorCode::kOverloaded));
  EXPECT_TRUE(second->received().starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(third->received().starts_with("HTTP/1.1 503 "));
  first->leave();
  rig.loop.run_until_idle();
  EXPECT_EQ(rig.handler.memory.used(), 0_B);
}

// A body that trickles holds memory and a connection: it gets 408 after the wait, and that arrives.
TEST(ExchangeBody, GivesUpOnASlowBody) {
  for (const bool known : {true, false}) {
    HttpRig rig;
    const auto client = rig.connect();
    rig.send(*client, known ? sized(5000, "") : chunked("1000\r\n"));
    for (int i = 0; i < 59; ++i) {
      rig.loop.advance(1s);
      rig.send(*client, "x");
    }
    EXPECT_TRUE(rig.handler.failed.empty());
    rig.loop.advance(1004ms);
    EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kRequestTimeout}));
    EXPECT_TRUE(client->received().starts_with("HTTP/1.1 408 "));
    EXPECT_NE(client->received().find("connection: close\r\n"), std::string::npos);
    EXPECT_TRUE(client->over());
  }
}

// The 408 reaches a client that was still sending when it came: a plain close would reset it away.
TEST(ExchangeBody, LingersAfterASlowBody) {
  HttpRig rig;
  const auto client = rig.connect({}, {}, Peer::Reading::kPaused);
  rig.send(*client, sized(5000, "some"));
  rig.loop.advance(60s);
  rig.loop.advance(4ms);
  EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kRequestTimeout}));
  rig.send(*client, "more");
  client->resume_reading();
  rig.loop.run_until_idle();
  EXPECT_TRUE(client->received().starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(client->closed());
  rig.loop.advance(2004ms);
  EXPECT_EQ(rig.server.connections(), 0U);
}

// Broken chunks end the connection: nobody knows where the next request would begin.
TEST(ExchangeBody, RefusesBrokenChunksAndCloses) {
  for (const std::string_view broken :
       {"x\r\n", "1\r\nab\r\n", "-1\r\n", "1\nx", "0\r\nbad\n\r\n"}) {
    HttpRig rig;
    const auto client = rig.connect();
    rig.send(*client, chunked(broken) + std::string(kGet));
    EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kInvalidRequest})) << broken;
    EXPECT_TRUE(client->received().starts_with("HTTP/1.1 400 ")) << broken;
    EXPECT_EQ(rig.handler.served, 1) << broken;
    EXPECT_TRUE(client->closed()) << broken;
  }
}

// A client that ends its side within a body is gone; there is no request.
TEST(ExchangeBody, ABodyThatEndsEarlyIsADeparture) {
  for (const bool known : {true, false}) {
    for (const bool proper : {true, false}) {
      HttpRig rig;
      const auto client = rig.connect();
      rig.send(*client, known ? sized(10, "four") : chunked("a\r\nfour"));
      if (proper)
        client->half_close();
      else
        client->leave_with_reset();
      rig.loop.run_until_idle();
      EXPECT_EQ(rig.handler.failed, (std::vector{ErrorCode::kInvalidRequest}));
      EXPECT_EQ(rig.server.connections(), 0U);
    }
  }
}

// A small body that nobody wanted is read away, so the connection can serve on.
TEST(ExchangeBody, DrainsASmallUnreadBody) {
  HttpRig rig;
  rig.handler.how = &RigHandler::ignore_body;
  const auto client = rig.connect();
  const std::string body = pattern(60'000);
  rig.send(*client, sized(body.size(), std::string_view(body).substr(0, 100)));
  EXPECT_EQ(client->take(), reply_text("ok"));
  rig.send(*client, body.substr(100) + std::string(kGet));
  EXPECT_EQ(client->take(), reply_text("ok"));
  EXPECT_EQ(rig.handler.served, 2);
  EXPECT_FALSE(client->over());
}

// A large one is not: the connection closes, and the reply still arrives whole.
TEST(ExchangeBody, ClosesAfterALargeUnreadBody) {
  const std::string body = pattern(200'000);
  for (const bool known : {true, false}) {
    HttpRig rig;
    rig.handler.how = &RigHandler::ignore_body;
    const auto client = rig.connect();
    rig.send(*client, known ? sized(body.size(), body) : chunked(in_chunks(body, 5000)));
    EXPECT_EQ(client->received(), reply_text("ok", "connection: close\r\n"));
    EXPECT_TRUE(client->closed());
    EXPECT_EQ(rig.handler.served, 1);
    rig.loop.advance(3s);
    EXPECT_EQ(rig.server.connections(), 0U);
  }
}

// An early reply to a client that goes on sending, for ever and ever: we linger, then leave.
TEST(ExchangeBody, LingersForABoundedTime) {
  HttpRig rig;
  rig.handler.how = &RigHandler::ignore_body;
  const auto client = rig.connect();
  rig.send(*client, sized(1'000'000'000, "some"));
  EXPECT_EQ(client->received(), reply_text("ok", "connection: close\r\n"));
  for (int i = 0; i < 10; ++i) {
    rig.send(*client, "more");
    rig.loop.advance(100ms);
  }
  EXPECT_EQ(rig.server.connections(), 1U);
  rig.loop.advance(1004ms);
  EXPECT_EQ(rig.server.connections(), 0U);
}

// And for a bounded number of bytes.
TEST(ExchangeBody, LingersForABoundedNumberOfBytes) {
  HttpRig rig(net::ServerOptions{.linger_bytes = 256 << 10});
  rig.handler.how = &RigHandler::ignore_body;
  const auto client = rig.connect();
  rig.send(*client, sized(1'000'000'000, std::string(300 << 10, 'x')));
  EXPECT_EQ(rig.server.connections(), 0U);
}

// A drain that the client does not feed ends as well.
TEST(ExchangeBody, DoesNotWaitForEverForASmallUnreadBody) {
  HttpRig rig;
  rig.handler.how = &RigHandler::ignore_body;
  const auto client = rig.connect();
  rig.send(*client, sized(10, "four"));
  EXPECT_EQ(client->received(), reply_text("ok"));
  rig.loop.advance(2004ms);
  EXPECT_EQ(rig.server.connections(), 0U);
}

}  // namespace
}  // namespace penstock::net
