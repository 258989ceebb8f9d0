#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/task.h"
#include "runtime/task_group.h"

namespace penstock::store::redis {

// Stands between a client and a Redis, on the client's loop, and does to the replies what it is
// told. The greeting of a connection passes untouched.
class RedisProxy {
 public:
  enum class Mischief : std::uint8_t {
    kNone,
    kByteByByte,  // every byte in a write of its own
    kCut,         // closes after `cut_after` bytes of the next reply
    kSwap,        // gives the next two replies in the other order
    kStale,       // gives the reply before in place of the next
    kTwice,       // gives the next reply two times
    kGarbage,     // gives what is no reply
  };

  // dialer: outlives it; redis: the port on 127.0.0.1.
  RedisProxy(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t redis);
  [[nodiscard]] runtime::Task<void> close();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  // From the next reply on; once but for kByteByByte.
  void do_mischief(Mischief mischief) noexcept { mischief_ = mischief; }
  void cut_after(std::size_t bytes) noexcept {
    mischief_ = Mischief::kCut;
    cut_after_ = bytes;
  }
  [[nodiscard]] std::size_t last_reply_bytes() const noexcept { return last_reply_.size(); }

 private:
  struct Relay;
  [[nodiscard]] runtime::Task<void> relay(std::unique_ptr<net::ByteStream> client);
  static runtime::Task<void> pass_commands(Relay& relay);
  [[nodiscard]] runtime::Task<void> pass_replies(Relay& relay);
  [[nodiscard]] std::vector<std::string> done_to(const std::string& reply);

  runtime::AsioLoop& loop_;
  net::Dialer& dialer_;
  std::uint16_t redis_;
  std::uint16_t port_ = 0;
  std::unique_ptr<net::TcpListener> listener_;
  runtime::Cancellation stop_;
  runtime::TaskGroup relays_;
  std::vector<Relay*> open_;
  Mischief mischief_ = Mischief::kNone;
  std::size_t cut_after_ = 0;
  std::string held_;        // by kSwap
  std::string last_reply_;  // as it came
  bool cut_ = false;
};

}  // namespace penstock::store::redis
