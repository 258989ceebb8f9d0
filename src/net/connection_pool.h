#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/connection_permits.h"
#include "net/dialer.h"
#include "net/input.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"

namespace penstock::net {

class ConnectionPool;

// A connection to a replica.
class PooledConnection {
 public:
  PooledConnection(ConnectionPool& pool, std::size_t replica, std::unique_ptr<ByteStream> stream);

  [[nodiscard]] ByteStream& stream() noexcept { return *stream_; }
  [[nodiscard]] Input& input() noexcept { return input_; }
  // It has served a call before this one.
  [[nodiscard]] bool reused() const noexcept { return reused_; }

 private:
  friend class ConnectionPool;
  friend class ConnectionLease;
  static void on_idle_over(void* self) noexcept;
  static void on_idle_input(void* self) noexcept;

  ConnectionPool& pool_;
  std::size_t replica_;
  std::unique_ptr<ByteStream> stream_;
  Input input_;
  runtime::Timer idle_timer_;
  bool reused_ = false;
  std::list<std::unique_ptr<PooledConnection>>::iterator place_;  // in the pool's idle list
};

// A connection lent for one call. Given back closed unless keep() was called.
class ConnectionLease {
 public:
  ConnectionLease() = default;
  explicit ConnectionLease(std::unique_ptr<PooledConnection> connection) noexcept
      : connection_(std::move(connection)) {}
  ConnectionLease(ConnectionLease&&) noexcept = default;
  ConnectionLease& operator=(ConnectionLease&& other) noexcept;
  ~ConnectionLease();

  explicit operator bool() const noexcept { return connection_ != nullptr; }
  [[nodiscard]] PooledConnection& operator*() const noexcept { return *connection_; }
  [[nodiscard]] PooledConnection* operator->() const noexcept { return connection_.get(); }
  // The call ended well: the connection may serve another.
  void keep() noexcept;

 private:
  std::unique_ptr<PooledConnection> connection_;
};

enum class AcquireEnd : std::uint8_t {
  kConnection,
  kQueueFull,  // limits.waiting
  kWaitedOut,  // limits.wait
  kDial,       // see Acquired::dial
  kStopped,
};

struct Acquired {
  AcquireEnd end = AcquireEnd::kStopped;
  DialEnd dial = DialEnd::kConnected;
  ConnectionLease connection;
  Duration waited{};   // for a permit; 0 when there was one
  std::string detail;  // for operators
};

enum class Freshness : std::uint8_t {
  kAny,
  kFresh,  // not one that has been idle: it may be as stale as the last
};

struct PoolOptions {
  Duration connect = 1s;     // to connect, TLS included
  Duration wait = 5s;        // for a permit
  Duration keep_alive = 4s;  // of an idle connection
};

// One worker's connections to the replicas of one provider. Idle ones are watched: one that its
// replica closes leaves the pool. Waiters are served in order.
class ConnectionPool final : public PermitUser {
 public:
  ConnectionPool(runtime::EventLoop& loop, Dialer& dialer, ConnectionPermits& permits,
                 std::vector<Origin> replicas, PoolOptions options);
  ~ConnectionPool() override;

  [[nodiscard]] runtime::Task<Acquired> acquire(std::size_t replica, Freshness freshness,
                                                runtime::CallContext context);

  // For connections asked for or given back from now on.
  void configure(const PoolOptions& options) noexcept { options_ = options; }

  // Closes what is idle and waits until every closed connection has ended.
  [[nodiscard]] runtime::Task<void> close();

  void permit_freed() override;
  void permit_wanted() override;

 private:
  friend class ConnectionLease;
  friend class PooledConnection;
  struct Waiter;
  using Idle = std::list<std::unique_ptr<PooledConnection>>;

  [[nodiscard]] std::unique_ptr<PooledConnection> take_idle(std::size_t replica) noexcept;
  [[nodiscard]] std::unique_ptr<PooledConnection> take_out(Idle::iterator place) noexcept;
  [[nodiscard]] bool take_permit() noexcept;
  [[nodiscard]] runtime::Task<bool> wait_for_turn(Waiter& waiter, runtime::CallContext context);
  [[nodiscard]] runtime::Task<void> dial(std::size_t replica, Acquired& into,
                                         runtime::CallContext context);
  void serve_waiters();
  void post_serve_waiters();
  void put_idle(std::unique_ptr<PooledConnection> connection) noexcept;
  void retire(std::unique_ptr<PooledConnection> connection) noexcept;
  static runtime::Task<void> end(std::unique_ptr<PooledConnection> connection);

  runtime::EventLoop& loop_;
  Dialer& dialer_;
  ConnectionPermits& permits_;
  std::vector<Origin> replicas_;
  PoolOptions options_;
  Idle idle_;  // the most recently used first
  std::list<Waiter*> waiters_;
  runtime::TaskGroup ending_;
  bool serving_posted_ = false;
};

}  // namespace penstock::net
