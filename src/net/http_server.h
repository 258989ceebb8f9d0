#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "wire/head_limits.h"

namespace penstock::net {

// Answers requests. Called on the connection's thread, one request of a connection at a time.
class Handler {
 public:
  virtual ~Handler() = default;
  // Answers the exchange before it returns.
  [[nodiscard]] virtual runtime::Task<void> serve(Exchange& exchange) = 0;
  // Answers a head that could not be read; the connection closes after it.
  [[nodiscard]] virtual runtime::Task<void> refuse(Exchange& exchange, Error error) = 0;
};

struct ServerOptions {
  wire::HeadLimits head = {};
  Duration head_wait = 10s;    // for a head, from its first byte (or the connection's start)
  Duration keep_alive = 75s;   // for the next request
  Duration write_stall = 60s;  // a client that reads nothing for so long is gone
  // A client that was refused while it sends is read on for so long, and so far, before the close:
  // a close with unread bytes would reset the refusal away before it is read.
  Duration linger = 2s;
  std::size_t linger_bytes = std::size_t{64} << 20;
};

class Connection;

// Serves HTTP/1.1 on the streams it is given, on one thread.
class HttpServer {
 public:
  HttpServer(runtime::EventLoop& loop, Handler& handler, ServerOptions options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Takes a connected stream and serves it until either side closes.
  void accept(std::unique_ptr<ByteStream> stream);

  // Leaving goes in these steps; each may be left out.
  //
  // From here on every reply whose head is not sent yet says `Connection: close` and is its
  // connection's last.
  void close_after_replies() noexcept;
  // As before; and connections on which no request has begun to arrive close. One that was never
  // used is closed a second after it was accepted. A further request on a kept connection comes
  // late (Exchange::late()).
  void close_idle() noexcept;
  // As before; and what runs is told to stop (StopReason::kShutdown), new streams are closed at
  // once, and each further request comes late.
  void shut_down() noexcept;
  // Closes everything now, whatever it is doing.
  void abort() noexcept;
  // Waits until the last connection has ended.
  [[nodiscard]] runtime::TaskGroup::Join join() noexcept { return connections_.join(); }
  [[nodiscard]] std::size_t connections() const noexcept { return connections_.running(); }

 private:
  friend class Connection;
  enum class Phase : std::uint8_t { kOpen, kNoKeeping, kNoIdle, kLeaving };
  void advance(Phase phase, void (Connection::*tell)() noexcept) noexcept;
  runtime::Task<void> serve(std::unique_ptr<ByteStream> stream);

  runtime::EventLoop& loop_;
  Handler& handler_;
  ServerOptions options_;
  runtime::TaskGroup connections_;
  Connection* first_ = nullptr;  // all that are open
  Phase phase_ = Phase::kOpen;
};

}  // namespace penstock::net
