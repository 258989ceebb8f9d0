#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/system/error_code.hpp>

#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/tcp_stream.h"
#include "net/tls.h"
#include "net/tls_impl.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::net {

// What a TLS connection reads from and writes to.
struct TlsWire {
  int descriptor = -1;
  bool drained = false;  // the last read left room, so the next has to wait for the reactor
};

// A TLS connection. OpenSSL works straight on the non-blocking socket, and what it cannot do now
// waits for the socket to become readable or writable. So a wait can be ended at any time without
// harm to the connection, an idle one holds no buffers, and no written byte is kept twice. Only
// .cpp files of net/ include this.
//
// A peer's close_notify is kEof; a connection that ends without one is kReset, for what was read
// may have been cut.
class TlsStream final : public ByteStream {
 public:
  enum class Role : std::uint8_t { kClient, kServer };
  struct Handshake {
    DialEnd end = DialEnd::kConnected;
    std::string detail;
  };

  // Takes a connected socket and a TLS connection that has not begun.
  // key: what the connection was made with; null for a server.
  TlsStream(TcpSocket socket, SslOwner<SSL> ssl, std::unique_ptr<const std::string> key);
  ~TlsStream() override;

  // Once, before anything is read or written. After a failure the stream is only good for closing.
  [[nodiscard]] runtime::Task<Handshake> handshake(Role role, runtime::EventLoop& loop,
                                                   TimePoint until, runtime::CallContext context);

  // Whether the handshake took up an earlier session.
  [[nodiscard]] bool resumed() const noexcept { return SSL_session_reused(ssl_.get()) == 1; }

  std::optional<IoResult> start_read(std::span<char> into, IoWaiter& waiter) override;
  std::optional<IoResult> start_write(std::span<const std::string_view> pieces,
                                      IoWaiter& waiter) override;
  // In bytes of the connection, records and all.
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override;
  [[nodiscard]] bool has_unread() noexcept override;
  void cancel() noexcept override;
  // Reading may begin again after it.
  void cancel_read() noexcept override;
  // Sends close_notify if that goes without waiting, then ends this side of the connection.
  void shut_down_writing() noexcept override;
  void reset_on_close() noexcept override;

 private:
  struct PendingRead {
    std::span<char> into;
    IoWaiter* waiter = nullptr;  // nullptr: none pending
    bool cancelled = false;
  };
  // What OpenSSL has not taken yet of a write.
  struct Rest {
    std::array<std::string_view, kPiecesMax> pieces;
    std::size_t count = 0;
    std::size_t next = 0;
    std::size_t written = 0;
    IoWaiter* waiter = nullptr;
  };

  [[nodiscard]] std::optional<IoResult> pull(std::span<char> into);
  [[nodiscard]] std::optional<IoResult> push(Rest& rest);
  [[nodiscard]] std::optional<IoEnd> after_failure(int code);
  [[nodiscard]] Handshake refusal(int code);
  void wait_to_read();
  void wait_to_write();

  TcpSocket socket_;
  std::unique_ptr<const std::string> key_;  // OpenSSL's callback looks at it
  TlsWire wire_;
  SslOwner<SSL> ssl_;
  PendingRead read_;
  std::unique_ptr<Rest> rest_;                          // only while a write waits
  TcpSocket::wait_type wanted_ = TcpSocket::wait_read;  // by the call that just failed
  std::uint64_t written_ = 0;
  bool broken_ = false;  // OpenSSL must not be called again
  bool cancelled_ = false;
};

// Makes a connected socket a TLS client's of `host`, until `until` at most; see Dialled.
[[nodiscard]] runtime::Task<Dialled> connect_tls(TcpSocket socket, TlsClient::Impl& client,
                                                 std::string host, std::uint16_t port,
                                                 runtime::EventLoop& loop, TimePoint until,
                                                 runtime::CallContext context);

// The same at the server's end; nullptr when there was no handshake in time.
[[nodiscard]] runtime::Task<std::unique_ptr<ByteStream>> accept_tls(TcpSocket socket,
                                                                    TlsServer::Impl& server,
                                                                    runtime::EventLoop& loop,
                                                                    TimePoint until,
                                                                    runtime::CallContext context);

}  // namespace penstock::net
