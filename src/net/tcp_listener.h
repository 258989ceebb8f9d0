#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/listen_socket.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::net {

class TlsServer;

struct ListenerOptions {
  const TlsServer* tls = nullptr;  // nullptr: plain; outlives the listener
  Duration handshake_wait = 10s;   // then a TLS connection that has not got ready is closed
  // Open connections of the whole process, shared by its listeners; outlives every stream. At
  // `connections_max` new ones wait in the kernel's queue.
  std::atomic<std::size_t>* connections = nullptr;  // nullptr: not counted
  std::size_t connections_max = 20000;
};

// Accepts connections on one worker. The loop must be an AsioLoop; everything is called on its
// thread. TLS handshakes run side by side and do not hold up accepting. After close() or stop()
// somebody awaits join() before the listener goes.
//
// To leave without losing anybody: let_nobody_in(), some round trips of time, take_waiting(),
// close().
class TcpListener {
 public:
  using OnStream = std::move_only_function<void(std::unique_ptr<ByteStream>)>;

  // Accepts from now on. on_stream: called for each connection, ready for reading and writing.
  TcpListener(runtime::EventLoop& loop, ListenSocket socket, OnStream on_stream,
              ListenerOptions options);
  TcpListener(const TcpListener&) = delete;
  TcpListener& operator=(const TcpListener&) = delete;
  ~TcpListener();

  // The kernel passes over who begins to connect from now on; whoever has begun gets through.
  void let_nobody_in() noexcept;
  // Accepts at once all that the kernel's queue holds now, also above `connections_max`.
  void take_waiting();
  // Closes the socket, whose queue is reset with it; handshakes under way go on.
  void close() noexcept;
  // As close(), and ends handshakes under way.
  void stop() noexcept;
  // Waits until nothing of it is under way; after close() or stop() only. One waiter.
  [[nodiscard]] runtime::Task<void> join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace penstock::net
