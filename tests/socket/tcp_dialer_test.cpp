#include "net/tcp_dialer.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "net/resolver.h"
#include "net/system_resolver.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/socket/loop_thread.h"

namespace penstock::net {
namespace {

// A port of 127.0.0.1 where nobody listens any more.
std::uint16_t closed_port() { return listen_on(Address{.ip = {127, 0, 0, 1}}, 1)->bound.port; }

runtime::Task<void> dial_into(runtime::AsioLoop& loop, Resolver& resolver, Origin origin,
                              runtime::CallContext context, Dialled& dialled) {
  TcpDialer dialer(resolver);
  dialled = co_await dialer.dial(loop, origin, 10s, context);
}

class TcpDialerSocket : public testing::Test {
 protected:
  TcpDialerSocket() : loop_(clock_) {}

  Dialled dial(SystemResolver& resolver, const Origin& origin, TimePoint deadline) {
    Dialled dialled;
    const runtime::CallContext context{cancellation_, deadline};
    run_to_end(loop_, dial_into(loop_, resolver, origin, context, dialled));
    return dialled;
  }

  runtime::SystemClock clock_;
  runtime::AsioLoop loop_;
  runtime::Cancellation cancellation_;
};

Result<std::vector<Address>> no_such_name(const std::string&) {
  return fail(ErrorCode::kUpstreamUnavailable);
}

// The commonest failure has to be told from all others: nothing listens there.
TEST_F(TcpDialerSocket, NobodyListeningIsRefused) {
  SystemResolver resolver(clock_, &no_such_name);
  const Origin origin{.host = "127.0.0.1", .port = closed_port()};
  EXPECT_EQ(dial(resolver, origin, TimePoint::max()).end, DialEnd::kRefused);
}

TEST_F(TcpDialerSocket, UnknownNameIsUnresolved) {  // not the replica's doing
  SystemResolver resolver(clock_, &no_such_name);
  const Origin origin{.host = "nowhere.example", .port = 80};
  EXPECT_EQ(dial(resolver, origin, TimePoint::max()).end, DialEnd::kUnresolved);
}

// One dead address of a name must not hide the one that works.
TEST_F(TcpDialerSocket, GoesOnToTheNextAddress) {
  const Result<ListenSet> listening = listen_on(Address{.ip = {127, 0, 0, 1}}, 1);
  ASSERT_TRUE(listening);
  SystemResolver resolver(clock_, [](const std::string&) {
    return Result<std::vector<Address>>(
        {Address{.ip = {127, 0, 0, 9}}, Address{.ip = {127, 0, 0, 1}}});
  });
  const Origin origin{.host = "two.example", .port = listening->bound.port};
  const Dialled dialled = dial(resolver, origin, TimePoint::max());
  EXPECT_EQ(dialled.end, DialEnd::kConnected);
  EXPECT_NE(dialled.stream, nullptr);
}

// The caller's own deadline is not the upstream's time-out.
TEST_F(TcpDialerSocket, PassedDeadlineIsCancelled) {
  SystemResolver resolver(clock_, &no_such_name);
  const Origin origin{.host = "127.0.0.1", .port = closed_port()};
  EXPECT_EQ(dial(resolver, origin, clock_.now()).end, DialEnd::kCancelled);
}

// A name server that does not answer: the caller may still leave.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

runtime::Task<void> cancel_while_resolving(runtime::AsioLoop& loop, Resolver& resolver) {
  runtime::Cancellation cancellation;
  Dialled dialled;
  runtime::TaskGroup tasks;
  Origin origin{.host = "slow.example", .port = 80};
  tasks.spawn(
      dial_into(loop, resolver, std::move(origin), runtime::CallContext{cancellation}, dialled));
  EXPECT_EQ(tasks.running(), 1U);
  cancellation.request(runtime::StopReason::kClientGone);
  co_await tasks.join();
  EXPECT_EQ(dialled.end, DialEnd::kCancelled);
}

TEST_F(TcpDialerSocket, CancelEndsTheWaitForAName) {  // whoever left must not wait for DNS
  Gate gate;
  SystemResolver resolver(clock_, [&gate](const std::string& host) {
    gate.wait();
    return no_such_name(host);
  });
  run_to_end(loop_, cancel_while_resolving(loop_, resolver));
  gate.open();
}

runtime::Task<void> cancel_while_connecting(runtime::AsioLoop& loop, Resolver& resolver) {
  OneListener listener(loop, ListenerOptions{});
  runtime::Cancellation cancellation;
  Dialled dialled;
  runtime::TaskGroup tasks;
  Origin origin{.host = "127.0.0.1", .port = listener.bound.port};
  tasks.spawn(
      dial_into(loop, resolver, std::move(origin), runtime::CallContext{cancellation}, dialled));
  EXPECT_EQ(tasks.running(), 1U);
  cancellation.request(runtime::StopReason::kClientGone);
  co_await tasks.join();
  EXPECT_EQ(dialled.end, DialEnd::kCancelled);
  EXPECT_EQ(dialled.stream, nullptr);
  co_await listener.close();
}

TEST_F(TcpDialerSocket, CancelEndsAConnect) {  // even one that had succeeded in the same turn
  SystemResolver resolver(clock_, &no_such_name);
  run_to_end(loop_, cancel_while_connecting(loop_, resolver));
}

}  // namespace
}  // namespace penstock::net
