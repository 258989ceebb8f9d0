#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/system.h"
#include "runtime/task.h"

namespace penstock::net {

// Runs `task` on `loop`, on the calling thread, until it ends. Fails the test after 20 s.
void run_to_end(runtime::AsioLoop& loop, runtime::Task<void> task);

// A coroutine's wait for something that another one, or a callback, says once.
class Signal {
 public:
  void raise() {
    raised_ = true;
    if (waiter_) std::exchange(waiter_, {}).resume();
  }
  [[nodiscard]] bool await_ready() const noexcept { return raised_; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { waiter_ = waiter; }
  void await_resume() const noexcept {}

 private:
  bool raised_ = false;
  std::coroutine_handle<> waiter_;
};

// Two ends of one connection, as TcpListener and TcpDialer make them.
struct Pair {
  std::unique_ptr<ByteStream> client;
  std::unique_ptr<ByteStream> server;
};

// A listener on 127.0.0.1 that keeps the last stream it was given.
struct OneListener {
  OneListener(runtime::AsioLoop& loop, ListenerOptions options);
  [[nodiscard]] runtime::Task<void> close();

  Address bound;
  std::unique_ptr<ByteStream> taken;
  Signal arrived;
  std::unique_ptr<TcpListener> listener;
};

// Dials `host`, which is 127.0.0.1 whatever its name.
[[nodiscard]] runtime::Task<Dialled> dial_here(runtime::AsioLoop& loop, Origin origin,
                                               Duration timeout, runtime::CallContext context);

// Dials a listener as `host` and waits for the other end.
[[nodiscard]] runtime::Task<Pair> connect_pair(runtime::AsioLoop& loop, std::string host,
                                               const TlsClient* client, const TlsServer* server);

// Reads until `size` bytes came or the stream ended otherwise, which `end` then tells.
struct Received {
  std::string bytes;
  IoEnd end = IoEnd::kOk;
};
[[nodiscard]] runtime::Task<Received> receive(ByteStream& stream, std::size_t size);
[[nodiscard]] runtime::Task<IoResult> send(ByteStream& stream, std::string_view bytes);

}  // namespace penstock::net
