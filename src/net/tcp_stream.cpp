#include "net/tcp_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

#include <boost/asio/buffer.hpp>

#include "base/assert.h"
#include "base/result.h"
#include "net/byte_stream.h"
#include "net/socket_state.h"

namespace penstock::net {
namespace {

using boost::system::error_code;

IoEnd end_of(const error_code& error) noexcept {
  if (error == boost::asio::error::operation_aborted) return IoEnd::kCancelled;
  if (error == boost::asio::error::eof) return IoEnd::kEof;
  return IoEnd::kReset;
}

}  // namespace

TcpStream::TcpStream(TcpSocket socket) : socket_(std::move(socket)) {
  error_code error;
  ignore(socket_.set_option(boost::asio::ip::tcp::no_delay(true), error), "a socket may be gone");
  ignore(socket_.native_non_blocking(true, error), "a socket may be gone");
}

TcpStream::~TcpStream() { PENSTOCK_ASSERT(!reading_ && rest_ == nullptr); }

std::optional<IoResult> TcpStream::start_read(std::span<char> into, IoWaiter& waiter) {
  PENSTOCK_ASSERT(!reading_ && !into.empty());
  if (cancelled_) return IoResult{IoEnd::kCancelled, 0};
  if (!drained_ && reads_in_turn_ < kReadsInTurnMax) {
    ++reads_in_turn_;
    const ssize_t got = ::recv(socket_.native_handle(), into.data(), into.size(), 0);
    if (got > 0) {
      drained_ = static_cast<std::size_t>(got) < into.size();
      return IoResult{IoEnd::kOk, static_cast<std::size_t>(got)};
    }
    if (got == 0) return IoResult{IoEnd::kEof, 0};
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      return IoResult{IoEnd::kReset, 0};
  }
  reads_in_turn_ = 0;
  reading_ = true;
  socket_.async_read_some(
      boost::asio::buffer(into.data(), into.size()),
      [this, size = into.size(), &waiter](const error_code& error, std::size_t count) {
        reading_ = false;
        drained_ = count < size;
        waiter.complete(error ? IoResult{end_of(error), 0} : IoResult{IoEnd::kOk, count});
      });
  return std::nullopt;
}

std::optional<IoResult> TcpStream::start_write(std::span<const std::string_view> pieces,
                                               IoWaiter& waiter) {
  PENSTOCK_ASSERT(rest_ == nullptr && pieces.size() <= kPiecesMax);
  if (cancelled_) return IoResult{IoEnd::kCancelled, 0};
  Rest rest;
  std::ranges::copy(pieces, rest.pieces.begin());
  rest.count = pieces.size();
  if (const std::optional<IoResult> now = push(rest)) return now;
  rest.waiter = &waiter;
  rest_ = std::make_unique<Rest>(rest);
  wait_writable();
  return std::nullopt;
}

// Hands the kernel as much as it takes; nullopt when it is full.
std::optional<IoResult> TcpStream::push(Rest& rest) {
  while (rest.next < rest.count) {
    std::array<iovec, kPiecesMax> vectors;
    std::size_t used = 0;
    for (std::size_t i = rest.next; i < rest.count; ++i)
      vectors[used++] = {const_cast<char*>(rest.pieces[i].data()), rest.pieces[i].size()};
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = used;
    const ssize_t sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK) return std::nullopt;
      if (errno == EINTR) continue;
      return IoResult{IoEnd::kReset, rest.written};
    }
    auto left = static_cast<std::size_t>(sent);
    rest.written += left;
    written_ += left;
    while (rest.next < rest.count && left >= rest.pieces[rest.next].size())
      left -= rest.pieces[rest.next++].size();
    if (left != 0) rest.pieces[rest.next].remove_prefix(left);
  }
  return IoResult{IoEnd::kOk, rest.written};
}

std::uint64_t TcpStream::bytes_taken() const noexcept {
  return written_ - unacknowledged(const_cast<TcpSocket&>(socket_).native_handle());
}

bool TcpStream::has_unread() noexcept { return socket_has_unread(socket_.native_handle()); }

void TcpStream::wait_writable() {
  socket_.async_wait(TcpSocket::wait_write, [this](const error_code& error) {
    std::optional<IoResult> done;
    if (cancelled_)
      done = IoResult{IoEnd::kCancelled, rest_->written};
    else if (error && error != boost::asio::error::operation_aborted)
      done = IoResult{end_of(error), rest_->written};
    else
      done = push(*rest_);
    if (!done) return wait_writable();
    IoWaiter& waiter = *rest_->waiter;
    rest_.reset();
    waiter.complete(*done);
  });
}

void TcpStream::cancel() noexcept {
  cancelled_ = true;
  error_code error;
  ignore(socket_.cancel(error), "nothing pending is fine too");
}

// Asio cancels both directions at once; a write that waits finds the socket as it was and waits on.
void TcpStream::cancel_read() noexcept {
  error_code error;
  ignore(socket_.cancel(error), "nothing pending is fine too");
}

void TcpStream::shut_down_writing() noexcept {
  error_code error;
  ignore(socket_.shutdown(TcpSocket::shutdown_send, error), "the peer may have left");
}

// Past Asio, which would take the option back when it closes the socket in its destructor.
void TcpStream::reset_on_close() noexcept {
  constexpr linger kReset{.l_onoff = 1, .l_linger = 0};
  ignore(::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &kReset, sizeof kReset),
         "best effort");
}

}  // namespace penstock::net
