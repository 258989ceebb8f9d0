#include "net/connection_pool.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/connection_permits.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"

namespace penstock::net {

using runtime::Task;

// A call that waits for a connection to a replica, or for the permit to make one.
struct ConnectionPool::Waiter {
  Waiter(runtime::EventLoop& loop, std::size_t which, Freshness how)
      : alarm(loop), replica(which), freshness(how) {}
  static void stop(void* self) noexcept { static_cast<Waiter*>(self)->alarm.wake_soon(); }

  runtime::Alarm alarm;
  std::size_t replica;
  Freshness freshness;
  std::unique_ptr<PooledConnection> connection;  // handed over
  bool permit = false;                           // handed over
};

PooledConnection::PooledConnection(ConnectionPool& pool, std::size_t replica,
                                   std::unique_ptr<ByteStream> stream)
    : pool_(pool),
      replica_(replica),
      stream_(std::move(stream)),
      input_(*stream_),
      idle_timer_(pool.loop_.timers(), &PooledConnection::on_idle_over, this) {}

void PooledConnection::on_idle_over(void* self) noexcept {
  auto& connection = *static_cast<PooledConnection*>(self);
  connection.pool_.retire(connection.pool_.take_out(connection.place_));
}

// Closed by its replica, or bytes that nobody asked for: good for nothing either way.
void PooledConnection::on_idle_input(void* self) noexcept { on_idle_over(self); }

ConnectionLease& ConnectionLease::operator=(ConnectionLease&& other) noexcept {
  if (this != &other) {
    if (connection_) connection_->pool_.retire(std::move(connection_));
    connection_ = std::move(other.connection_);
  }
  return *this;
}

ConnectionLease::~ConnectionLease() {
  if (connection_) connection_->pool_.retire(std::move(connection_));
}

void ConnectionLease::keep() noexcept {
  PENSTOCK_ASSERT(connection_ != nullptr);
  ConnectionPool& pool = connection_->pool_;
  pool.put_idle(std::move(connection_));
}

ConnectionPool::ConnectionPool(runtime::EventLoop& loop, Dialer& dialer, ConnectionPermits& permits,
                               std::vector<Origin> replicas, PoolOptions options)
    : loop_(loop),
      dialer_(dialer),
      permits_(permits),
      replicas_(std::move(replicas)),
      options_(options) {
  permits_.join(*this);
}

ConnectionPool::~ConnectionPool() { PENSTOCK_ASSERT(idle_.empty() && waiters_.empty()); }

std::unique_ptr<PooledConnection> ConnectionPool::take_out(Idle::iterator place) noexcept {
  std::unique_ptr<PooledConnection> connection = std::move(*place);
  idle_.erase(place);
  permits_.idle.fetch_sub(1, std::memory_order_relaxed);
  connection->idle_timer_.disarm();
  connection->input_.unwatch();
  return connection;
}

// What arrived unasked on an idle connection, or its end, may not have been noticed yet in this
// turn of the loop: it must not be taken for the reply to the next request.
std::unique_ptr<PooledConnection> ConnectionPool::take_idle(std::size_t replica) noexcept {
  while (true) {
    const auto place = std::ranges::find_if(
        idle_, [replica](const auto& idle) { return idle->replica_ == replica; });
    if (place == idle_.end()) return nullptr;
    std::unique_ptr<PooledConnection> connection = take_out(place);
    if (!connection->stream_->has_unread()) return connection;
    retire(std::move(connection));
  }
}

// A free permit, or that of the connection here that has been idle longest.
bool ConnectionPool::take_permit() noexcept {
  if (permits_.try_take()) return true;
  if (idle_.empty()) return false;
  retire(take_out(std::prev(idle_.end())));
  return permits_.try_take();
}

Task<Acquired> ConnectionPool::acquire(std::size_t replica, Freshness freshness,
                                       runtime::CallContext context) {
  Acquired acquired;
  if (waiters_.empty()) {
    std::unique_ptr<PooledConnection> idle =
        freshness == Freshness::kAny ? take_idle(replica) : nullptr;
    if (idle) {
      acquired.end = AcquireEnd::kConnection;
      acquired.connection = ConnectionLease(std::move(idle));
      co_return acquired;
    }
    // Who waits on another worker was here first: a free permit is theirs.
    if (permits_.waiting() == 0 && take_permit()) {
      co_await dial(replica, acquired, context);
      co_return acquired;
    }
  }
  if (!permits_.start_waiting(*this)) {
    acquired.end = AcquireEnd::kQueueFull;
    co_return acquired;
  }
  Waiter waiter(loop_, replica, freshness);
  const TimePoint began = loop_.clock().now();
  const bool served = co_await wait_for_turn(waiter, context);
  acquired.waited = loop_.clock().now() - began;
  if (!served) {
    acquired.end = context.cancellation.requested() ? AcquireEnd::kStopped : AcquireEnd::kWaitedOut;
  } else if (waiter.connection) {
    acquired.end = AcquireEnd::kConnection;
    acquired.connection = ConnectionLease(std::move(waiter.connection));
  } else {
    co_await dial(replica, acquired, context);
  }
  co_return acquired;
}

Task<bool> ConnectionPool::wait_for_turn(Waiter& waiter, runtime::CallContext context) {
  waiters_.push_back(&waiter);
  const runtime::CancellationHook hook(context.cancellation, &Waiter::stop, &waiter);
  const TimePoint until = std::min(loop_.clock().now() + options_.wait, context.deadline);
  ignore(co_await waiter.alarm.until(until), "what was handed over tells");
  waiters_.remove(&waiter);
  permits_.stop_waiting(*this);
  co_return waiter.connection != nullptr || waiter.permit;
}

Task<void> ConnectionPool::dial(std::size_t replica, Acquired& into, runtime::CallContext context) {
  TakenPermit permit(permits_);
  Dialled dialled = co_await dialer_.dial(loop_, replicas_[replica], options_.connect, context);
  into.dial = dialled.end;
  into.detail = std::move(dialled.detail);
  if (dialled.end == DialEnd::kConnected) {
    into.end = AcquireEnd::kConnection;
    into.connection = ConnectionLease(
        std::make_unique<PooledConnection>(*this, replica, std::move(dialled.stream)));
    permit.pass_on();
    co_return;
  }
  into.end = dialled.end == DialEnd::kCancelled ? AcquireEnd::kStopped : AcquireEnd::kDial;
}

void ConnectionPool::put_idle(std::unique_ptr<PooledConnection> connection) noexcept {
  connection->reused_ = true;
  if (waiters_.empty() && permits_.waiting() != 0) return retire(std::move(connection));
  connection->input_.release();
  connection->input_.shrink();
  idle_.push_front(std::move(connection));
  permits_.idle.fetch_add(1, std::memory_order_relaxed);
  PooledConnection& idle = *idle_.front();
  idle.place_ = idle_.begin();
  idle.idle_timer_.arm(loop_.clock().now() + options_.keep_alive);
  if (!waiters_.empty()) post_serve_waiters();
  idle.input_.watch(&PooledConnection::on_idle_input, &idle);
}

void ConnectionPool::retire(std::unique_ptr<PooledConnection> connection) noexcept {
  connection->stream_->cancel();
  ending_.spawn(end(std::move(connection)));
  permits_.give_back();
  if (!waiters_.empty()) post_serve_waiters();
}

Task<void> ConnectionPool::end(std::unique_ptr<PooledConnection> connection) {
  co_await connection->input_.settle();
}

void ConnectionPool::post_serve_waiters() {
  if (std::exchange(serving_posted_, true)) return;
  loop_.post([this] {
    serving_posted_ = false;
    serve_waiters();
  });
}

void ConnectionPool::serve_waiters() {
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    Waiter& waiter = **at;
    if (waiter.connection || waiter.permit) {  // served already, about to leave the list
      ++at;
      continue;
    }
    if (waiter.freshness == Freshness::kAny) waiter.connection = take_idle(waiter.replica);
    if (!waiter.connection) waiter.permit = take_permit();
    if (!waiter.connection && !waiter.permit) return;
    waiter.alarm.wake();  // the waiter leaves the list before this returns
    at = waiters_.begin();
  }
}

void ConnectionPool::permit_freed() {
  loop_.post([this] { serve_waiters(); });
}

void ConnectionPool::permit_wanted() {
  loop_.post([this] {
    if (waiters_.empty() && !idle_.empty()) retire(take_out(std::prev(idle_.end())));
  });
}

Task<void> ConnectionPool::close() {
  while (!idle_.empty()) retire(take_out(idle_.begin()));
  co_await ending_.join();
}

}  // namespace penstock::net
