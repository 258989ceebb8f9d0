#include "net/input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "net/byte_stream.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/loopback.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::net {
namespace {

using runtime::Task;
using test::ManualLoop;
using test::Peer;

std::string pattern(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + ",";
  text.resize(size);
  return text;
}

class InputTest : public testing::Test {
 public:
  ~InputTest() override {
    stream->cancel();
    loop.run_until_idle();
  }
  void send(std::string_view bytes) {
    peer.send(bytes);
    loop.run_until_idle();
  }
  // Fills until `size` bytes are buffered or the end.
  static Task<void> fill_to(Input& input, std::size_t size, IoEnd& end) {
    while (input.bytes().size() < size) {
      end = co_await input.fill();
      if (end != IoEnd::kOk) co_return;
    }
  }
  IoEnd fill(std::size_t size) {
    IoEnd end = IoEnd::kOk;
    runtime::TaskGroup group;
    group.spawn(fill_to(input, size, end));
    loop.run_until_idle();
    EXPECT_EQ(group.running(), 0U);
    return end;
  }
  static void count(void* counter) { ++*static_cast<int*>(counter); }

  ManualLoop loop;
  test::LoopbackPair pair = test::loopback(loop);
  ByteStream* stream = pair.server.get();
  Input input{*stream};
  Peer peer{loop, std::move(pair.client)};
};

// Bytes stay until consumed, and what is consumed does not come back.
TEST_F(InputTest, BuffersUntilConsumed) {
  send("hello world");
  EXPECT_EQ(input.bytes(), "");
  EXPECT_EQ(fill(1), IoEnd::kOk);
  EXPECT_EQ(input.bytes(), "hello world");
  input.consume(6);
  EXPECT_EQ(input.bytes(), "world");
  send("!");
  EXPECT_EQ(fill(6), IoEnd::kOk);
  EXPECT_EQ(input.bytes(), "world!");
}

// Any amount may be buffered; the caller's limits bound it. Nothing is lost while blocks grow.
TEST_F(InputTest, GrowsWithWhatIsNotConsumed) {
  const std::string text = pattern(200'000);
  peer.send(text);
  EXPECT_EQ(fill(text.size()), IoEnd::kOk);
  EXPECT_EQ(input.bytes(), text);
  input.consume(199'999);
  EXPECT_EQ(input.bytes(), text.substr(199'999));
}

// Consuming in odd steps while the bytes move about in memory.
TEST_F(InputTest, KeepsTheOrderWhileItMakesRoom) {
  const std::string text = pattern(300'000);
  peer.send(text);
  std::string seen;
  for (std::size_t step = 1; seen.size() < text.size(); step = step * 7 % 5003 + 1) {
    ASSERT_EQ(fill(1), IoEnd::kOk);
    const std::string_view some = input.bytes().substr(0, step);
    seen += some;
    input.consume(some.size());
  }
  EXPECT_EQ(seen, text);
}

// Views taken under pin() survive consume(), growth and any number of reads until release().
TEST_F(InputTest, PinnedViewsStayValid) {
  const std::string text = pattern(150'000);
  send("the head");
  ASSERT_EQ(fill(8), IoEnd::kOk);
  input.pin();
  const std::string_view head = input.bytes();
  input.consume(head.size());
  peer.send(text);
  std::string seen;
  while (seen.size() < text.size()) {
    ASSERT_EQ(fill(1), IoEnd::kOk);
    seen += input.bytes();
    input.consume(input.bytes().size());
    ASSERT_EQ(head, "the head");
  }
  EXPECT_EQ(seen, text);
  input.release();
  send("next");
  EXPECT_EQ(fill(4), IoEnd::kOk);
  EXPECT_EQ(input.bytes(), "next");
}

// Requests on a kept connection, each read while the one before is still looked at: they take turns
// in one small block. Else some of them need a second, and memory grows with the connections' age.
TEST_F(InputTest, RequestsInTurnShareOneBlock) {
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  std::string_view before;
  std::string expected;
  for (std::size_t turn = 0; turn < 300; ++turn) {
    const std::string request = pattern(100 + turn * 37 % 900);
    send(request);
    ASSERT_EQ(before, expected) << "turn " << turn;  // the next one came and left it alone
    input.release();
    ASSERT_EQ(fill(request.size()), IoEnd::kOk);
    ASSERT_EQ(input.bytes(), request) << "turn " << turn;
    input.pin();
    before = input.bytes();
    expected = request;
    const auto at = reinterpret_cast<std::uintptr_t>(before.data());
    lowest = std::min(lowest, at);
    highest = std::max(highest, at + before.size());
    input.consume(before.size());
    input.watch(nullptr, nullptr);
    ASSERT_TRUE(input.reading());
  }
  EXPECT_LE(highest - lowest, Input::kSmall);
}

// What follows a request that needed a large block is waited for with a small one, and the large
// one goes with the request.
TEST_F(InputTest, BeginsSmallAgainBehindALargeRequest) {
  for (int turn = 0; turn < 3; ++turn) {
    const std::string request = pattern(Input::kSmall + 500);
    send(request);
    ASSERT_EQ(fill(request.size()), IoEnd::kOk);
    input.pin();
    const std::string_view view = input.bytes();
    input.consume(request.size());
    input.watch(nullptr, nullptr);
    ASSERT_EQ(view, request);
    input.release();
    send(pattern(2 * Input::kSmall));  // one read takes what the block has room for
    EXPECT_EQ(input.bytes().size(), Input::kSmall);
    ASSERT_EQ(fill(2 * Input::kSmall), IoEnd::kOk);
    input.consume(2 * Input::kSmall);
  }
}

// A watch starts a read that stays; it tells once, and its bytes are the next ones.
TEST_F(InputTest, AStandingReadTellsOnce) {
  int told = 0;
  input.watch(&InputTest::count, &told);
  EXPECT_TRUE(input.reading());
  loop.run_until_idle();
  EXPECT_EQ(told, 0);
  send("early");
  EXPECT_EQ(told, 1);
  EXPECT_FALSE(input.peer_gone());
  EXPECT_EQ(input.bytes(), "early");
  peer.half_close();
  loop.run_until_idle();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(input.end(), IoEnd::kOk);
}

// A standing read serves the next fill, without a second read and without the notice.
TEST_F(InputTest, AFillTakesOverAStandingRead) {
  int told = 0;
  input.watch(&InputTest::count, &told);
  IoEnd end = IoEnd::kReset;
  runtime::TaskGroup group;
  group.spawn(fill_to(input, 4, end));
  send("next");
  EXPECT_EQ(group.running(), 0U);
  EXPECT_EQ(end, IoEnd::kOk);
  EXPECT_EQ(told, 0);
}

// Without a watcher the read stands on, silently.
TEST_F(InputTest, AnUnwatchedReadIsSilent) {
  int told = 0;
  input.watch(&InputTest::count, &told);
  input.unwatch();
  EXPECT_TRUE(input.reading());
  send("bytes");
  EXPECT_EQ(told, 0);
  EXPECT_EQ(input.bytes(), "bytes");
}

// What is there already is told at once.
TEST_F(InputTest, AWatchTellsWhatIsAlreadyThere) {
  int told = 0;
  send("there");
  input.watch(&InputTest::count, &told);
  EXPECT_EQ(told, 1);
  peer.half_close();
  EXPECT_EQ(fill(100), IoEnd::kEof);
  input.watch(&InputTest::count, &told);
  EXPECT_EQ(told, 2);
  EXPECT_TRUE(input.peer_gone());
}

// Ends come behind the bytes, and stay.
TEST_F(InputTest, KeepsTheEnd) {
  peer.send("last");
  peer.half_close();
  EXPECT_EQ(fill(100), IoEnd::kEof);
  EXPECT_EQ(input.bytes(), "last");
  EXPECT_EQ(fill(100), IoEnd::kEof);
  EXPECT_EQ(input.end(), IoEnd::kEof);
}

// A reset is told apart, and a read that we gave up says nothing about the peer.
TEST_F(InputTest, TellsEndsApart) {
  int told = 0;
  input.watch(&InputTest::count, &told);
  stream->cancel_read();
  loop.run_until_idle();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(input.end(), IoEnd::kCancelled);
  input.reopen();
  EXPECT_FALSE(input.peer_gone());
  send("on");
  EXPECT_EQ(fill(2), IoEnd::kOk);
  peer.leave_with_reset();
  EXPECT_EQ(fill(100), IoEnd::kReset);
  input.reopen();
  EXPECT_EQ(input.end(), IoEnd::kReset);
}

Task<void> settle(Input& input, bool& settled) {
  co_await input.settle();
  settled = true;
}

// The end of a connection waits for its read to come back.
TEST_F(InputTest, SettlesAfterACancel) {
  input.watch(nullptr, nullptr);
  bool settled = false;
  runtime::TaskGroup group;
  group.spawn(settle(input, settled));
  EXPECT_FALSE(settled);
  stream->cancel();
  loop.run_until_idle();
  EXPECT_TRUE(settled);
  EXPECT_FALSE(input.reading());
}

// Shrinking never loses bytes, nor memory that a read or a view looks at.
TEST_F(InputTest, ShrinksOnlyWhatIsUnused) {
  const std::string text = pattern(100'000);
  peer.send(text);
  ASSERT_EQ(fill(text.size()), IoEnd::kOk);
  input.shrink();
  EXPECT_EQ(input.bytes(), text);
  input.pin();
  const std::string_view view = input.bytes();
  input.consume(view.size());
  input.shrink();
  EXPECT_EQ(view, text);
  input.release();
  input.watch(nullptr, nullptr);
  input.shrink();
  send("more");
  EXPECT_EQ(input.bytes(), "more");
  input.consume(4);
  input.shrink();
  send("again");
  EXPECT_EQ(fill(5), IoEnd::kOk);
  EXPECT_EQ(input.bytes(), "again");
}

}  // namespace
}  // namespace penstock::net
