#include "tests/support/loopback.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"
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

using net::IoEnd;

struct Both {
  explicit Both(LoopbackPair pair)
      : client(loop_of(), std::move(pair.client)), server(loop_of(), std::move(pair.server)) {}
  static ManualLoop& loop_of() {
    static ManualLoop loop;
    return loop;
  }
  Peer client;
  Peer server;
};

Both connect(LoopbackOptions to_server = LoopbackOptions(),
             LoopbackOptions to_client = LoopbackOptions()) {
  return Both(loopback(Both::loop_of(), to_server, to_client));
}

// The plain case, and a proper end in one direction only.
TEST(Loopback, CarriesBytesAndHalfCloses) {
  ManualLoop& loop = Both::loop_of();
  Both both = connect();
  both.client.send("ping");
  both.client.half_close();
  loop.run_until_idle();
  EXPECT_EQ(both.server.received(), "ping");
  EXPECT_TRUE(both.server.closed());
  both.server.send("pong");
  loop.run_until_idle();
  EXPECT_EQ(both.client.received(), "pong");
  EXPECT_FALSE(both.client.over());
  both.server.leave();
  loop.run_until_idle();
  EXPECT_TRUE(both.client.closed());
}

// A byte a packet, through a buffer smaller than the message: nothing is lost or reordered.
TEST(Loopback, SmallBuffersAndPacketsLoseNothing) {
  ManualLoop& loop = Both::loop_of();
  Both both = connect({.capacity = 3, .bytes_per_read = 1});
  both.client.send("twelve bytes");
  both.client.send(" and more");
  loop.run_until_idle();
  EXPECT_EQ(both.server.received(), "twelve bytes and more");
  EXPECT_EQ(both.client.unsent(), 0U);
}

// A reader that does not read stops the writer.
TEST(Loopback, AFullBufferHoldsTheWriter) {
  ManualLoop& loop = Both::loop_of();
  LoopbackPair pair = loopback(loop, {.capacity = 4});
  Peer client(loop, std::move(pair.client));
  Peer server(loop, std::move(pair.server), Peer::Reading::kPaused);
  client.send("0123456789");
  loop.run_until_idle();
  EXPECT_GT(client.unsent(), 0U);
  server.resume_reading();
  loop.run_until_idle();
  EXPECT_EQ(client.unsent(), 0U);
  EXPECT_EQ(server.received(), "0123456789");
}

// The injected ends come after exactly so many bytes.
TEST(Loopback, EndsWhereItWasTold) {
  ManualLoop& loop = Both::loop_of();
  Both cut = connect({.cut_after = 3});
  cut.client.send("abcdef");
  Both reset = connect({.reset_after = 3});
  reset.client.send("abcdef");
  Both stall = connect({.stall_after = 3});
  stall.client.send("abcdef");
  stall.client.half_close();
  loop.run_until_idle();
  EXPECT_EQ(cut.server.received(), "abc");
  EXPECT_TRUE(cut.server.closed());
  EXPECT_EQ(reset.server.received(), "abc");
  EXPECT_TRUE(reset.server.was_reset());
  EXPECT_TRUE(reset.client.was_reset());
  EXPECT_EQ(stall.server.received(), "abc");
  EXPECT_FALSE(stall.server.over());
}

// What a kernel does: a close with unread bytes resets, and what was sent before may be lost.
TEST(Loopback, ACloseWithUnreadBytesIsAReset) {
  ManualLoop& loop = Both::loop_of();
  LoopbackPair pair = loopback(loop);
  Peer client(loop, std::move(pair.client));
  auto server = std::make_unique<Peer>(loop, std::move(pair.server), Peer::Reading::kPaused);
  client.send("unread");
  loop.run_until_idle();
  server->send("lost");
  server.reset();
  EXPECT_TRUE(client.was_reset());
  EXPECT_EQ(client.received(), "");
}

struct Waiter final : net::IoWaiter {
  std::optional<net::IoResult> result;
  void complete(net::IoResult told) noexcept override { result = told; }
};

// cancel_read ends the read only; cancel ends everything, and for good.
TEST(Loopback, CancelsWhatIsPending) {
  ManualLoop& loop = Both::loop_of();
  LoopbackPair pair = loopback(loop, {}, {.capacity = 2});
  char memory[8];
  Waiter read;
  Waiter write;
  const std::string_view pieces[] = {"abc", "def"};
  ASSERT_FALSE(pair.server->start_read(memory, read));
  ASSERT_FALSE(pair.server->start_write(pieces, write));
  pair.server->cancel_read();
  EXPECT_FALSE(read.result);
  loop.run_until_idle();
  ASSERT_TRUE(read.result);
  EXPECT_EQ(read.result->end, IoEnd::kCancelled);
  EXPECT_FALSE(write.result);
  ASSERT_FALSE(pair.server->start_read(memory, read));
  read.result.reset();
  pair.server->cancel();
  EXPECT_FALSE(read.result || write.result);
  loop.run_until_idle();
  ASSERT_TRUE(read.result && write.result);
  EXPECT_EQ(read.result->end, IoEnd::kCancelled);
  EXPECT_EQ(write.result->end, IoEnd::kCancelled);
  EXPECT_EQ(pair.server->start_read(memory, read)->end, IoEnd::kCancelled);
}

struct DialOutcome {
  std::optional<net::Dialled> dialled;
};

runtime::Task<> dial(ManualLoop& loop, LoopbackNet& net, runtime::CallContext context,
                     DialOutcome& outcome) {
  const net::Origin origin{.host = "a.test", .port = 80, .tls = nullptr};
  outcome.dialled = co_await net.dial(loop, origin, 5s, context);
}

struct Dialling {
  ManualLoop loop;
  LoopbackNet net{loop};
  runtime::Cancellation cancellation;
  runtime::TaskGroup group;
  DialOutcome outcome;
  void start(TimePoint deadline = TimePoint::max()) {
    group.spawn(dial(loop, net, {cancellation, deadline}, outcome));
  }
  net::DialEnd end() { return outcome.dialled.value().end; }
};

// A listener gets the other end; the connection is counted while the dialler holds it.
TEST(LoopbackNet, ConnectsToAListener) {
  Dialling d;
  std::unique_ptr<Peer> accepted;
  d.net.listen("a.test:80", [&](std::unique_ptr<net::ByteStream> stream) {
    accepted = std::make_unique<Peer>(d.loop, std::move(stream));
  });
  d.start();
  EXPECT_FALSE(d.outcome.dialled);
  d.loop.run_until_idle();
  ASSERT_EQ(d.end(), net::DialEnd::kConnected);
  EXPECT_EQ(d.net.counts("a.test:80").open, 1U);
  d.outcome.dialled.reset();
  d.loop.run_until_idle();
  EXPECT_TRUE(accepted->closed());
  EXPECT_EQ(d.net.counts("a.test:80").open, 0U);
  EXPECT_EQ(d.net.counts("a.test:80").dials, 1U);
}

// Each way not to connect.
TEST(LoopbackNet, FailsAsItWasTold) {
  {
    Dialling d;
    d.start();
    d.loop.run_until_idle();
    EXPECT_EQ(d.end(), net::DialEnd::kRefused);
  }
  {
    Dialling d;
    d.net.fail("a.test:80", net::DialEnd::kTls, 1s);
    d.start();
    d.loop.advance(900ms);
    EXPECT_FALSE(d.outcome.dialled);
    d.loop.advance(104ms);
    EXPECT_EQ(d.end(), net::DialEnd::kTls);
  }
  {
    Dialling d;
    d.net.hang("a.test:80");
    d.start();
    d.loop.advance(6s);
    EXPECT_EQ(d.end(), net::DialEnd::kTimedOut);
  }
  {
    Dialling d;
    d.net.hang("a.test:80");
    d.start(d.loop.now() + 1s);
    d.loop.advance(2s);
    EXPECT_EQ(d.end(), net::DialEnd::kCancelled);
  }
  {
    Dialling d;
    d.net.hang("a.test:80");
    d.start();
    d.cancellation.request(runtime::StopReason::kClientGone);
    EXPECT_FALSE(d.outcome.dialled);
    d.loop.advance(8ms);
    EXPECT_EQ(d.end(), net::DialEnd::kCancelled);
  }
}

}  // namespace
}  // namespace penstock::test
