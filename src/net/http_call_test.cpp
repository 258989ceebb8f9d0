#include "net/http_call.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"
#include "net/arrival.h"
#include "net/byte_stream.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/loopback.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::net {
namespace {

using runtime::StopReason;
using runtime::Task;
using Step = HttpCall::Step;

constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

// A call in the middle of its life and the replica that it is made to.
struct CallRig {
  explicit CallRig(test::LoopbackOptions to_server = test::LoopbackOptions(),
                   test::LoopbackOptions to_client = test::LoopbackOptions()) {
    test::LoopbackPair pair = test::loopback(loop, to_server, to_client);
    stream = std::move(pair.client);
    replica = std::make_unique<test::Peer>(loop, std::move(pair.server));
    input.emplace(*stream);
    call.emplace(*stream, *input, loop, cancellation);
  }
  CallRig(const CallRig&) = delete;
  CallRig& operator=(const CallRig&) = delete;
  ~CallRig() {
    EXPECT_EQ(tasks.running(), 0U) << "the call still waits";
    call.reset();
    EXPECT_EQ(loop.timers().armed(), 0U);
    stream->cancel();
    tasks.spawn(settle(*input));
    loop.run_until_idle();
  }

  static Task<void> settle(Input& input) { co_await input.settle(); }
  // Sends `bytes` and reads the whole reply, each wait until `due`.
  static Task<void> play(CallRig& rig, std::string bytes, TimePoint due) {
    const std::array<std::string_view, 1> pieces{bytes};
    rig.sent = co_await rig.call->send(pieces, due);
    rig.head = co_await rig.call->read_head(due);
    while (rig.head == HeadEnd::kHead) {
      const HttpCall::Piece piece = rig.call->next();
      rig.last = piece.step;
      rig.body += piece.data;
      if (piece.step == Step::kData) continue;
      if (piece.step != Step::kMore) break;
      rig.wake = co_await rig.call->arrival().until(due);
      if (rig.wake != Wake::kInput) break;
    }
  }

  void start(std::string_view bytes = kRequest, Duration patience = 10s) {
    tasks.spawn(play(*this, std::string(bytes), loop.now() + patience));
    loop.run_until_idle();
  }
  void answer(std::string_view bytes) {
    replica->send(bytes);
    loop.run_until_idle();
  }

  test::ManualLoop loop;
  runtime::Cancellation cancellation;
  std::unique_ptr<ByteStream> stream;
  std::unique_ptr<test::Peer> replica;
  std::optional<Input> input;
  std::optional<HttpCall> call;
  std::optional<IoEnd> sent;
  std::optional<HeadEnd> head;
  std::optional<Step> last;
  std::optional<Wake> wake;
  std::string body;
  runtime::TaskGroup tasks;
};

// The request goes out as given, in order.
TEST(HttpCall, SendsTheRequest) {
  CallRig rig;
  rig.start();
  EXPECT_EQ(rig.replica->received(), kRequest);
  EXPECT_FALSE(rig.call->heard());
  rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  EXPECT_EQ(rig.sent, IoEnd::kOk);
}

struct Whole {
  std::string_view name;
  std::string_view reply;
  std::string_view body;
  bool reusable;
};

class WholeReply : public testing::TestWithParam<Whole> {};

// Each framing, cut in two at every byte: the body is the same and the connection is judged alike.
TEST_P(WholeReply, IsReadWhereverItIsCut) {
  const Whole& given = GetParam();
  for (std::size_t cut = 0; cut <= given.reply.size(); ++cut) {
    CallRig rig;
    rig.start();
    if (cut != 0) rig.answer(given.reply.substr(0, cut));
    if (cut != given.reply.size()) rig.answer(given.reply.substr(cut));
    if (given.name == "UntilClose") {
      rig.replica->half_close();
      rig.loop.run_until_idle();
    }
    ASSERT_EQ(rig.head, HeadEnd::kHead) << cut;
    ASSERT_EQ(rig.last, Step::kEnd) << cut;
    ASSERT_EQ(rig.body, given.body) << cut;
    ASSERT_EQ(rig.call->reusable(), given.reusable) << cut;
    ASSERT_EQ(rig.call->next().step, Step::kEnd) << "the end stays";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Framings, WholeReply,
    testing::Values(
        Whole{"Sized", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "hello", true},
        Whole{"Empty", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "", true},
        Whole{"NoContent", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
        Whole{"Chunked",
              "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
              "3;ext=1\r\nhel\r\n2\r\nlo\r\n0\r\nx-trailer: 1\r\n\r\n",
              "hello", true},
        Whole{"UntilClose", "HTTP/1.1 200 OK\r\n\r\nhello", "hello", false},
        Whole{"SaidToClose", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok",
              "ok", false},
        Whole{"Http10", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", "ok", false},
        Whole{"Interim",
              "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
              "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
              "ok", true}),
    [](const auto& tested) { return std::string(tested.param.name); });

// What follows a complete reply was asked for by nobody: the connection is worthless.
TEST(HttpCall, BytesBehindTheReplySpoilTheConnection) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n");
  EXPECT_EQ(rig.body, "ok");
  EXPECT_EQ(rig.last, Step::kEnd);
  EXPECT_FALSE(rig.call->reusable());
}

// Interim heads are bounded: a replica may not keep a caller waiting with them.
TEST(HttpCall, TooManyInterimHeadsAreMalformed) {
  constexpr std::string_view kInterim = "HTTP/1.1 102 Processing\r\n\r\n";
  for (const int count : {HttpCall::kInterimMax, HttpCall::kInterimMax + 1}) {
    CallRig rig;
    rig.start();
    for (int i = 0; i < count; ++i) rig.answer(kInterim);
    rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    EXPECT_EQ(rig.head, count > HttpCall::kInterimMax ? HeadEnd::kMalformed : HeadEnd::kHead);
    EXPECT_EQ(rig.call->detail().empty(), count == HttpCall::kInterimMax);
  }
}

// An end at each byte of a reply is told apart: nothing heard, within the head, within the body.
TEST(HttpCall, TellsWhereTheConnectionEnded) {
  constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const std::string reply = std::string(kHead) + "5\r\nhello\r\n0\r\n\r\n";
  for (std::size_t cut = 0; cut < reply.size(); ++cut) {
    CallRig rig;
    rig.start();
    if (cut != 0) rig.answer(std::string_view(reply).substr(0, cut));
    rig.replica->leave();
    rig.loop.run_until_idle();
    const HeadEnd head = cut == 0             ? HeadEnd::kClosed
                         : cut < kHead.size() ? HeadEnd::kCut
                                              : HeadEnd::kHead;
    ASSERT_EQ(rig.head, head) << cut;
    ASSERT_EQ(rig.call->heard(), cut != 0) << cut;
    if (head == HeadEnd::kHead) ASSERT_EQ(rig.last, Step::kCut) << cut;
    ASSERT_FALSE(rig.call->reusable()) << cut;
  }
}

TEST(HttpCall, SizedBodyThatEndsEarlyIsCut) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell");
  rig.replica->half_close();
  rig.loop.run_until_idle();
  EXPECT_EQ(rig.last, Step::kCut);
  EXPECT_EQ(rig.body, "hell");
}

// Only a proper end completes a body without a length: a broken connection proves nothing.
TEST(HttpCall, ResetWithinABodyUntilCloseIsCut) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\n\r\nhello");
  rig.replica->leave_with_reset();
  rig.loop.run_until_idle();
  EXPECT_EQ(rig.last, Step::kCut);
}

TEST(HttpCall, WhatIsNotHttpIsMalformed) {
  CallRig rig;
  rig.start();
  rig.answer("SSH-2.0-OpenSSH_9.2\r\n");
  EXPECT_EQ(rig.head, HeadEnd::kMalformed);
  EXPECT_FALSE(rig.call->detail().empty());
  EXPECT_TRUE(rig.call->heard());
}

TEST(HttpCall, MalformedChunksSpoilTheConnection) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nokX");
  EXPECT_EQ(rig.last, Step::kMalformed);
  EXPECT_FALSE(rig.call->detail().empty());
  EXPECT_FALSE(rig.call->reusable());
}

// A wait for the head ends at its time, within a tick, and leaves the read standing.
TEST(HttpCall, HeadThatDoesNotComeTimesOut) {
  CallRig rig;
  rig.start(kRequest, 3s);
  rig.loop.advance(3s - 1ms);
  EXPECT_FALSE(rig.head);
  rig.loop.advance(9ms);
  EXPECT_EQ(rig.head, HeadEnd::kTimedOut);
}

TEST(HttpCall, BodyThatDoesNotComeTimesOut) {
  CallRig rig;
  rig.start(kRequest, 3s);
  rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe");
  rig.loop.advance(3s + 8ms);
  EXPECT_EQ(rig.wake, Wake::kTime);
  EXPECT_FALSE(rig.call->reusable());
}

// Being told to stop ends each wait within a tick.
TEST(HttpCall, StopEndsTheWaitForTheHead) {
  CallRig rig;
  rig.start();
  rig.cancellation.request(StopReason::kClientGone);
  rig.loop.advance(8ms);
  EXPECT_EQ(rig.head, HeadEnd::kStopped);
}

TEST(HttpCall, StopEndsTheWaitForTheBody) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe");
  rig.cancellation.request(StopReason::kShutdown);
  rig.loop.advance(8ms);
  EXPECT_EQ(rig.wake, Wake::kStop);
  EXPECT_EQ(rig.body, "he");
}

// A replica that takes no more of the request does not hold it for ever.
TEST(HttpCall, SendingEndsAtItsTime) {
  test::LoopbackOptions narrow;
  narrow.capacity = 1000;
  narrow.stall_after = 10;
  CallRig rig(narrow);
  rig.start(std::string(5000, 'x'), 2s);
  EXPECT_FALSE(rig.sent);
  rig.loop.advance(2s + 8ms);
  EXPECT_EQ(rig.sent, IoEnd::kCancelled);
  EXPECT_FALSE(rig.call->reusable());
}

TEST(HttpCall, StopEndsSending) {
  test::LoopbackOptions narrow;
  narrow.capacity = 1000;
  narrow.stall_after = 10;
  CallRig rig(narrow);
  rig.start(std::string(5000, 'x'));
  rig.cancellation.request(StopReason::kClientGone);
  rig.loop.advance(8ms);
  EXPECT_EQ(rig.sent, IoEnd::kCancelled);
}

// A reply that comes while the request is still being written is read all the same.
TEST(HttpCall, EarlyReplyIsReadBehindTheRequest) {
  test::LoopbackOptions narrow;
  narrow.capacity = 100;
  CallRig rig(narrow);
  rig.replica->send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
  rig.start(std::string(5000, 'x'));
  EXPECT_EQ(rig.sent, IoEnd::kOk);
  EXPECT_EQ(rig.head, HeadEnd::kHead);
  EXPECT_EQ(rig.call->head().status, 413);
  EXPECT_EQ(rig.body, "no");
}

// The head's views live until release_head(), whatever of the body came meanwhile.
TEST(HttpCall, HeadStaysReadableWhileTheBodyComes) {
  CallRig rig;
  rig.start();
  rig.answer("HTTP/1.1 200 OK\r\nx-name: value\r\ncontent-length: 20000\r\n\r\n");
  for (int i = 0; i < 20; ++i) rig.answer(std::string(1000, 'x'));
  EXPECT_EQ(rig.body.size(), 20000U);
  EXPECT_EQ(rig.call->head().headers.find("x-name"), "value");
  EXPECT_TRUE(rig.call->reusable());
}

}  // namespace
}  // namespace penstock::net
