#include "net/tcp_listener.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "tests/socket/loop_thread.h"

namespace penstock::net {
namespace {

constexpr Address kLoopback{.ip = {127, 0, 0, 1}};

// Two gateways on one port would share its connections between them without a word.
TEST(ListenOn, RefusesAPortThatIsServed) {
  const Result<ListenSet> first = listen_on(kLoopback, 2);
  ASSERT_TRUE(first);
  const Result<ListenSet> second = listen_on(first->bound, 2);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(second.error().message, to_text(first->bound) + " is in use already");
}

// Port 0 is one port, the same for all workers, and free again afterwards.
TEST(ListenOn, PicksOnePortForAllWorkers) {
  Result<ListenSet> set = listen_on(kLoopback, 4);
  ASSERT_TRUE(set);
  EXPECT_NE(set->bound.port, 0);
  EXPECT_EQ(set->sockets.size(), 4U);
  const Address bound = set->bound;
  set->sockets.clear();
  EXPECT_TRUE(listen_on(bound, 1));
}

// A foreign address is the operator's mistake and is said with its place.
TEST(ListenOn, SaysWhereItCannotListen) {
  const Result<ListenSet> set = listen_on(Address{.ip = {192, 0, 2, 1}}, 1);
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("192.0.2.1:0"), std::string::npos);
}

runtime::Task<std::unique_ptr<ByteStream>> dial_plain(runtime::AsioLoop& loop, Address to) {
  runtime::Cancellation cancellation;
  const runtime::CallContext context{cancellation};
  Origin origin{.host = "127.0.0.1", .port = to.port};
  Dialled dialled = co_await dial_here(loop, std::move(origin), 10s, context);
  EXPECT_EQ(dialled.end, DialEnd::kConnected);
  co_return std::move(dialled.stream);
}

runtime::Task<void> wait_at_the_ceiling(runtime::AsioLoop& loop) {
  std::atomic<std::size_t> open = 0;
  OneListener listener(loop, ListenerOptions{.connections = &open, .connections_max = 1});
  const std::unique_ptr<ByteStream> first = co_await dial_plain(loop, listener.bound);
  co_await listener.arrived;
  EXPECT_EQ(open.load(), 1U);
  const std::unique_ptr<ByteStream> second = co_await dial_plain(loop, listener.bound);
  listener.arrived = Signal();
  EXPECT_EQ((co_await send(*second, "hello")).end, IoEnd::kOk);
  EXPECT_EQ(open.load(), 1U);  // the second one waits
  listener.taken.reset();
  co_await listener.arrived;
  EXPECT_EQ(open.load(), 1U);
  EXPECT_EQ((co_await receive(*listener.taken, 5)).bytes, "hello");
  listener.taken.reset();
  EXPECT_EQ(open.load(), 0U);
  co_await listener.close();
}

// Above the ceiling connections wait in the kernel's queue and lose nothing.
TEST(TcpListenerSocket, ConnectionsAboveTheCeilingWait) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, wait_at_the_ceiling(loop));
}

// Counts what it is given, and raises its signal at the last one.
struct Crowd {
  std::vector<std::unique_ptr<ByteStream>> streams;
  std::size_t expected = 0;
  Signal all;

  void add(std::unique_ptr<ByteStream> stream) {
    streams.push_back(std::move(stream));
    if (streams.size() == expected) all.raise();
  }
};

runtime::Task<void> accept_crowd(runtime::AsioLoop& loop) {
  Result<ListenSet> set = listen_on(kLoopback, 2);
  EXPECT_TRUE(set);
  if (!set) co_return;
  Crowd crowd;
  crowd.expected = 50;
  const auto add = [&crowd](std::unique_ptr<ByteStream> stream) { crowd.add(std::move(stream)); };
  TcpListener first(loop, std::move(set->sockets[0]), add, ListenerOptions{});
  TcpListener second(loop, std::move(set->sockets[1]), add, ListenerOptions{});
  std::vector<std::unique_ptr<ByteStream>> clients;
  while (clients.size() < crowd.expected) {
    clients.push_back(co_await dial_plain(loop, set->bound));
  }
  co_await crowd.all;
  first.stop();
  second.stop();
  co_await first.join();
  co_await second.join();
}

// More than one turn's worth, over two listeners of one port: nobody is forgotten.
TEST(TcpListenerSocket, AcceptsMoreThanOneTurnsWorth) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, accept_crowd(loop));
}

runtime::Task<void> take_what_waits(runtime::AsioLoop& loop) {
  Result<ListenSet> set = listen_on(kLoopback, 1);
  EXPECT_TRUE(set);
  if (!set) co_return;
  const Address bound = set->bound;
  const std::unique_ptr<ByteStream> client = co_await dial_plain(loop, bound);
  Crowd crowd;
  TcpListener listener(
      loop, std::move(set->sockets[0]),
      [&crowd](std::unique_ptr<ByteStream> stream) { crowd.add(std::move(stream)); },
      ListenerOptions{});
  listener.take_waiting();
  EXPECT_EQ(crowd.streams.size(), 1U);
  listener.stop();
  co_await listener.join();
  EXPECT_TRUE(listen_on(bound, 1));  // the port is free at once
}

// At the end of draining, whoever got through to the kernel is still served.
TEST(TcpListenerSocket, TakesWhatTheKernelHoldsBeforeItStops) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, take_what_waits(loop));
}

// Begins to connect, without waiting for what comes of it. The caller closes it.
int begin_to_connect(const Address& to) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(to.port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ignore(::connect(made, reinterpret_cast<const sockaddr*>(&place), sizeof place), "in progress");
  return made;
}

runtime::Task<void> let_nobody_in(runtime::AsioLoop& loop) {
  Result<ListenSet> set = listen_on(kLoopback, 1);
  EXPECT_TRUE(set);
  if (!set) co_return;
  Crowd crowd;
  TcpListener listener(
      loop, std::move(set->sockets[0]),
      [&crowd](std::unique_ptr<ByteStream> stream) { crowd.add(std::move(stream)); },
      ListenerOptions{});
  const int before = begin_to_connect(set->bound);
  listener.let_nobody_in();
  const int after = begin_to_connect(set->bound);
  listener.take_waiting();
  EXPECT_EQ(crowd.streams.size(), 1U);
  EXPECT_EQ((co_await send(*crowd.streams.front(), "hello")).end, IoEnd::kOk);
  listener.close();
  co_await listener.join();
  char seen[5];
  EXPECT_EQ(::recv(before, seen, sizeof seen, MSG_DONTWAIT), 5);
  ::close(before);
  ::close(after);
}

// Between the last accept and the close nobody gets through to a queue that is then thrown away:
// on loopback the kernel answers who connects before connect() returns.
TEST(TcpListenerSocket, LetsNobodyInAndLosesNobody) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, let_nobody_in(loop));
}

runtime::Task<void> take_above_the_ceiling(runtime::AsioLoop& loop) {
  std::atomic<std::size_t> open = 0;
  Result<ListenSet> set = listen_on(kLoopback, 1);
  EXPECT_TRUE(set);
  if (!set) co_return;
  Crowd crowd;
  TcpListener listener(
      loop, std::move(set->sockets[0]),
      [&crowd](std::unique_ptr<ByteStream> stream) { crowd.add(std::move(stream)); },
      ListenerOptions{.connections = &open, .connections_max = 1});
  const int clients[] = {begin_to_connect(set->bound), begin_to_connect(set->bound),
                         begin_to_connect(set->bound)};
  listener.take_waiting();
  EXPECT_EQ(crowd.streams.size(), 3U);
  listener.close();
  co_await listener.join();
  for (const int client : clients) ::close(client);
}

// Who waits in the kernel's queue for a place would be reset with it.
TEST(TcpListenerSocket, TakesTheLastOnesAboveTheCeilingToo) {
  const runtime::SystemClock clock;
  runtime::AsioLoop loop(clock);
  run_to_end(loop, take_above_the_ceiling(loop));
}

}  // namespace
}  // namespace penstock::net
