#include "net/connection_pool.h"

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net/byte_stream.h"
#include "net/connection_permits.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "tests/support/loopback_net.h"
#include "tests/support/manual_loop.h"
#include "tests/support/peer.h"

namespace penstock::net {
namespace {

using runtime::Task;

// One call's wish for a connection, and what came of it.
struct Wish {
  runtime::Cancellation cancellation;
  Acquired got;
  bool over = false;
  [[nodiscard]] bool connected() const noexcept {
    return over && got.end == AcquireEnd::kConnection;
  }
};

// One worker's loop, network and pool. Its replicas are "a:1" and "b:1".
struct Side {
  explicit Side(ConnectionPermits& permits, PoolOptions options = PoolOptions())
      : pool(loop, net, permits, {Origin{"a", 1}, Origin{"b", 1}}, options) {
    for (const char* place : {"a:1", "b:1"})
      net.listen(place, [this](std::unique_ptr<ByteStream> stream) {
        replicas.push_back(std::make_unique<test::Peer>(loop, std::move(stream)));
      });
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    wishes.clear();
    tasks.spawn(close(pool));
    loop.run_until_idle();
    EXPECT_EQ(tasks.running(), 0U);
    EXPECT_EQ(loop.timers().armed(), 0U);
    EXPECT_EQ(net.counts("a:1").open + net.counts("b:1").open, 0U);
  }

  static Task<void> close(ConnectionPool& pool) { co_await pool.close(); }
  static Task<void> acquire(ConnectionPool& pool, std::size_t replica, Freshness freshness,
                            Wish& wish) {
    const runtime::CallContext context{wish.cancellation};
    wish.got = co_await pool.acquire(replica, freshness, context);
    wish.over = true;
  }

  Wish& wish(std::size_t replica = 0, Freshness freshness = Freshness::kAny) {
    Wish& made = wishes.emplace_back();
    tasks.spawn(acquire(pool, replica, freshness, made));
    loop.run_until_idle();
    return made;
  }
  void keep(Wish& wish) {
    wish.got.connection.keep();
    loop.run_until_idle();
  }
  void drop(Wish& wish) {
    wish.got.connection = ConnectionLease();
    loop.run_until_idle();
  }

  test::ManualLoop loop;
  test::LoopbackNet net{loop};
  std::vector<std::unique_ptr<test::Peer>> replicas;
  ConnectionPool pool;
  std::list<Wish> wishes;
  runtime::TaskGroup tasks;
};

TEST(ConnectionPool, KeptConnectionServesTheNextCall) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  Wish& first = side.wish();
  ASSERT_TRUE(first.connected());
  EXPECT_FALSE(first.got.connection->reused());
  side.keep(first);
  EXPECT_EQ(permits.idle, 1U);
  Wish& second = side.wish();
  ASSERT_TRUE(second.connected());
  EXPECT_TRUE(second.got.connection->reused());
  EXPECT_EQ(permits.idle, 0U);
  EXPECT_EQ(permits.taken(), 1U);
  EXPECT_EQ(side.net.counts("a:1").dials, 1U);
}

TEST(ConnectionPool, DroppedConnectionIsClosed) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  Wish& first = side.wish();
  side.drop(first);
  EXPECT_EQ(permits.taken(), 0U);
  EXPECT_TRUE(side.replicas[0]->over());
}

TEST(ConnectionPool, ReplicasDoNotShareConnections) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  side.keep(side.wish(0));
  Wish& other = side.wish(1);
  ASSERT_TRUE(other.connected());
  EXPECT_FALSE(other.got.connection->reused());
  EXPECT_EQ(side.net.counts("b:1").dials, 1U);
}

// The most recently used is the least likely to be stale.
TEST(ConnectionPool, LastKeptIsTakenFirst) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  Wish& first = side.wish();
  Wish& second = side.wish();
  PooledConnection* const last = &*second.got.connection;
  side.keep(first);
  side.keep(second);
  EXPECT_EQ(&*side.wish().got.connection, last);
}

// One asked for fresh is fresh, idle ones or not.
TEST(ConnectionPool, FreshIsNeverOneThatWasIdle) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  side.keep(side.wish());
  Wish& fresh = side.wish(0, Freshness::kFresh);
  ASSERT_TRUE(fresh.connected());
  EXPECT_FALSE(fresh.got.connection->reused());
}

// Also when it must wait: what is handed over is the permit, not the connection.
TEST(ConnectionPool, FreshIsFreshAfterAWait) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  Wish& first = side.wish();
  Wish& fresh = side.wish(0, Freshness::kFresh);
  EXPECT_FALSE(fresh.over);
  side.keep(first);
  ASSERT_TRUE(fresh.connected());
  EXPECT_FALSE(fresh.got.connection->reused());
  EXPECT_EQ(side.net.counts("a:1").dials, 2U);
}

TEST(ConnectionPool, IdleConnectionEndsAfterKeepAlive) {
  ConnectionPermits permits(4, 4);
  Side side(permits, PoolOptions{.keep_alive = 4s});
  side.keep(side.wish());
  side.loop.advance(4s - 1ms);
  EXPECT_EQ(permits.taken(), 1U);
  side.loop.advance(9ms);
  EXPECT_EQ(permits.taken(), 0U);
  EXPECT_EQ(permits.idle, 0U);
  EXPECT_TRUE(side.replicas[0]->closed());
}

TEST(ConnectionPool, IdleConnectionThatItsReplicaClosesLeaves) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  side.keep(side.wish());
  side.replicas[0]->leave();
  side.loop.run_until_idle();
  EXPECT_EQ(permits.taken(), 0U);
  EXPECT_FALSE(side.wish().got.connection->reused());
}

// Bytes that answer nothing would be taken for the next call's reply.
TEST(ConnectionPool, IdleConnectionThatSpeaksLeaves) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  side.keep(side.wish());
  side.replicas[0]->send("HTTP/1.1 408 Request Timeout\r\n\r\n");
  side.loop.run_until_idle();
  EXPECT_EQ(permits.taken(), 0U);
}

// Bytes that arrived in this very turn of the loop must not become the next call's reply.
TEST(ConnectionPool, WhatArrivedUnnoticedIsNeverTheNextReply) {
  ConnectionPermits permits(4, 4);
  Side side(permits);
  Wish& first = side.wish();
  ASSERT_TRUE(first.connected());
  side.keep(first);
  side.replicas[0]->send("foreign");  // nothing has run since
  Wish& second = side.wishes.emplace_back();
  side.tasks.spawn(Side::acquire(side.pool, 0, Freshness::kAny, second));
  side.loop.run_until_idle();
  ASSERT_TRUE(second.connected());
  EXPECT_FALSE(second.got.connection->reused());
  EXPECT_TRUE(second.got.connection->input().bytes().empty());
}

// At the ceiling an idle connection to one replica makes room for another replica's call.
TEST(ConnectionPool, LongestIdleMakesRoom) {
  ConnectionPermits permits(2, 4);
  Side side(permits);
  Wish& first = side.wish(0);
  Wish& second = side.wish(0);
  side.keep(first);
  side.keep(second);
  EXPECT_TRUE(side.wish(1).connected());
  EXPECT_EQ(permits.taken(), 2U);
  EXPECT_EQ(permits.idle, 1U);
  EXPECT_TRUE(side.replicas[0]->over()) << "the one that was idle longest";
  EXPECT_FALSE(side.replicas[1]->over());
}

TEST(ConnectionPool, WaitersAreServedInOrder) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  Wish& first = side.wish();
  std::array<Wish*, 3> waiting{&side.wish(), &side.wish(), &side.wish()};
  EXPECT_EQ(permits.waiting(), 3U);
  side.loop.advance(1s);
  side.keep(first);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    for (std::size_t j = 0; j < waiting.size(); ++j)
      EXPECT_EQ(waiting[j]->over, j <= i) << i << " " << j;
    EXPECT_EQ(waiting[i]->got.waited, Duration(1s));
    side.keep(*waiting[i]);
  }
  EXPECT_EQ(side.net.counts("a:1").dials, 1U);
  EXPECT_EQ(permits.waiting(), 0U);
}

// A newcomer does not pass those who wait, even where a connection has just come free.
TEST(ConnectionPool, NewcomerDoesNotPassWaiters) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  Wish& first = side.wish();
  Wish& waiting = side.wish();
  first.got.connection.keep();  // the loop has not turned yet
  Wish& newcomer = side.wishes.emplace_back();
  side.tasks.spawn(Side::acquire(side.pool, 0, Freshness::kAny, newcomer));
  side.loop.run_until_idle();
  EXPECT_TRUE(waiting.connected());
  EXPECT_FALSE(newcomer.over);
  side.drop(waiting);
  EXPECT_TRUE(newcomer.connected());
}

TEST(ConnectionPool, WaitersAreBounded) {
  ConnectionPermits permits(1, 1);
  Side side(permits);
  Wish& first = side.wish();
  Wish& second = side.wish();
  Wish& third = side.wish();
  EXPECT_FALSE(second.over);
  ASSERT_TRUE(third.over);
  EXPECT_EQ(third.got.end, AcquireEnd::kQueueFull);
  side.drop(first);
  EXPECT_TRUE(second.connected());
}

TEST(ConnectionPool, WaitEndsAtItsTime) {
  ConnectionPermits permits(1, 4);
  Side side(permits, PoolOptions{.wait = 2s});
  ASSERT_TRUE(side.wish().connected());
  Wish& waiting = side.wish();
  side.loop.advance(2s - 1ms);
  EXPECT_FALSE(waiting.over);
  side.loop.advance(9ms);
  ASSERT_TRUE(waiting.over);
  EXPECT_EQ(waiting.got.end, AcquireEnd::kWaitedOut);
  EXPECT_GE(waiting.got.waited, Duration(2s));
  EXPECT_EQ(permits.waiting(), 0U);
}

// Whoever is told to stop leaves the queue; the next one is served.
TEST(ConnectionPool, StoppedWaiterLeavesTheQueue) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  Wish& first = side.wish();
  Wish& second = side.wish();
  Wish& third = side.wish();
  second.cancellation.request(runtime::StopReason::kClientGone);
  side.loop.advance(8ms);
  ASSERT_TRUE(second.over);
  EXPECT_EQ(second.got.end, AcquireEnd::kStopped);
  side.drop(first);
  EXPECT_TRUE(third.connected());
}

// A waiter that is stopped in the same turn in which it is served loses nothing for the others.
TEST(ConnectionPool, WaiterStoppedWhileItIsServedHandsOn) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  Wish& first = side.wish();
  Wish& second = side.wish();
  Wish& third = side.wish();
  first.got.connection = ConnectionLease();
  second.cancellation.request(runtime::StopReason::kClientGone);
  side.loop.advance(8ms);
  ASSERT_TRUE(second.over);
  if (second.connected()) side.drop(second);
  EXPECT_TRUE(third.connected());
  EXPECT_EQ(permits.taken(), 1U);
}

TEST(ConnectionPool, FailedDialGivesItsPermitBack) {
  ConnectionPermits permits(1, 4);
  Side side(permits);
  side.net.fail("a:1", DialEnd::kRefused);
  Wish& refused = side.wish();
  ASSERT_TRUE(refused.over);
  EXPECT_EQ(refused.got.end, AcquireEnd::kDial);
  EXPECT_EQ(refused.got.dial, DialEnd::kRefused);
  EXPECT_EQ(permits.taken(), 0U);
  EXPECT_TRUE(side.wish(1).connected());
}

TEST(ConnectionPool, DialEndsAtItsTimeAndWhenStopped) {
  ConnectionPermits permits(2, 4);
  Side side(permits, PoolOptions{.connect = 500ms});
  side.net.hang("a:1");
  Wish& slow = side.wish();
  Wish& stopped = side.wish();
  stopped.cancellation.request(runtime::StopReason::kShutdown);
  side.loop.advance(8ms);
  ASSERT_TRUE(stopped.over);
  EXPECT_EQ(stopped.got.end, AcquireEnd::kStopped);
  side.loop.advance(500ms);
  ASSERT_TRUE(slow.over);
  EXPECT_EQ(slow.got.dial, DialEnd::kTimedOut);
  EXPECT_EQ(permits.taken(), 0U);
}

// The permits are the process's: one pool's waiter is served by what another pool gives back.
TEST(ConnectionPool, PermitIsHandedOverToAnotherWorker) {
  ConnectionPermits permits(1, 4);
  Side one(permits);
  Side two(permits);
  Wish& held = one.wish();
  Wish& waiting = two.wish();
  EXPECT_FALSE(waiting.over);
  one.drop(held);
  EXPECT_FALSE(waiting.over) << "its own loop has not turned";
  two.loop.run_until_idle();
  EXPECT_TRUE(waiting.connected());
  EXPECT_EQ(permits.taken(), 1U);
}

// A connection that would be kept is closed instead when only another worker waits.
TEST(ConnectionPool, KeptConnectionIsClosedForAnotherWorkersWaiter) {
  ConnectionPermits permits(1, 4);
  Side one(permits);
  Side two(permits);
  Wish& held = one.wish();
  Wish& waiting = two.wish();
  one.keep(held);
  two.loop.run_until_idle();
  EXPECT_TRUE(waiting.connected());
  EXPECT_TRUE(one.replicas[0]->over());
}

// The own queue comes first: a kept connection serves it although another worker waits longer.
TEST(ConnectionPool, KeptConnectionServesTheOwnQueueFirst) {
  ConnectionPermits permits(1, 4);
  Side one(permits);
  Side two(permits);
  Wish& held = one.wish();
  Wish& elsewhere = two.wish();
  Wish& here = one.wish();
  one.keep(held);
  two.loop.run_until_idle();
  ASSERT_TRUE(here.connected());
  EXPECT_TRUE(here.got.connection->reused());
  EXPECT_FALSE(elsewhere.over);
  one.drop(here);
  two.loop.run_until_idle();
  EXPECT_TRUE(elsewhere.connected());
}

// An idle connection elsewhere closes for a waiter here.
TEST(ConnectionPool, IdleConnectionElsewhereMakesRoom) {
  ConnectionPermits permits(1, 4);
  Side one(permits);
  Side two(permits);
  one.keep(one.wish());
  Wish& waiting = two.wish();
  EXPECT_FALSE(waiting.over);
  one.loop.run_until_idle();
  two.loop.run_until_idle();
  EXPECT_TRUE(waiting.connected());
  EXPECT_EQ(permits.idle, 0U);
}

// Two permits that come free at once reach two waiters of two workers.
TEST(ConnectionPool, TwoPermitsServeTwoWorkers) {
  ConnectionPermits permits(2, 4);
  Side one(permits);
  Side two(permits);
  Side three(permits);
  Wish& first = one.wish();
  Wish& second = one.wish();
  Wish& waiting_two = two.wish();
  Wish& waiting_three = three.wish();
  first.got.connection = ConnectionLease();
  second.got.connection = ConnectionLease();
  for (int i = 0; i < 3; ++i)
    for (Side* side : {&one, &two, &three}) side->loop.run_until_idle();
  EXPECT_TRUE(waiting_two.connected());
  EXPECT_TRUE(waiting_three.connected());
}

}  // namespace
}  // namespace penstock::net
