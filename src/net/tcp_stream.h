#pragma once

#include <array>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "net/byte_stream.h"

namespace penstock::net {

using TcpSocket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// A plain TCP connection. Writes go to the kernel at once and wait only when it is full; reads wait
// for the reactor unless the last one filled its buffer. Only .cpp files of net/ include this.
class TcpStream final : public ByteStream {
 public:
  // Reads answered at once before the next one waits its turn: a fast pair of peers must not keep
  // the thread from everybody else's timers and streams.
  static constexpr std::uint32_t kReadsInTurnMax = 16;

  // Takes a connected socket; sets TCP_NODELAY and non-blocking.
  explicit TcpStream(TcpSocket socket);
  ~TcpStream() override;

  std::optional<IoResult> start_read(std::span<char> into, IoWaiter& waiter) override;
  std::optional<IoResult> start_write(std::span<const std::string_view> pieces,
                                      IoWaiter& waiter) override;
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept override;
  [[nodiscard]] bool has_unread() noexcept override;
  void cancel() noexcept override;
  void cancel_read() noexcept override;
  void shut_down_writing() noexcept override;
  void reset_on_close() noexcept override;

 private:
  // The part of a write that the kernel did not take.
  struct Rest {
    std::array<std::string_view, kPiecesMax> pieces;
    std::size_t count = 0;
    std::size_t next = 0;
    std::size_t written = 0;
    IoWaiter* waiter = nullptr;
  };
  [[nodiscard]] std::optional<IoResult> push(Rest& rest);
  void wait_writable();

  TcpSocket socket_;
  std::unique_ptr<Rest> rest_;  // only while a write waits
  std::uint64_t written_ = 0;
  std::uint32_t reads_in_turn_ = 0;  // answered at once since the last wait
  bool reading_ = false;
  bool drained_ = false;  // the last read left room, so the next has to wait for the reactor
  bool cancelled_ = false;
};

}  // namespace penstock::net
