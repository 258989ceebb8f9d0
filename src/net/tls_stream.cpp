#include "net/tls_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/socket_limit.h"
#include "net/socket_state.h"
#include "net/tcp_stream.h"
#include "net/tls.h"
#include "net/tls_bio.h"
#include "net/tls_impl.h"
#include "runtime/asio_op.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::net {
namespace {

using boost::system::error_code;

constexpr std::size_t kRecordMax = 16384;  // RFC 8446, section 5.1

// One record's bytes, from `next` on: a view of the first piece when that is all or enough of it,
// else gathered in this thread's scratch memory. The same each time it is asked for the same rest,
// as OpenSSL demands of a repeated write. Valid until the next call.
std::string_view next_record(std::span<const std::string_view> pieces) {
  const std::string_view first = pieces.front().substr(0, kRecordMax);
  if (pieces.size() == 1 || first.size() == kRecordMax) return first;
  thread_local std::array<char, kRecordMax> scratch;
  std::size_t used = 0;
  for (const std::string_view piece : pieces)
    used += piece.copy(scratch.data() + used, kRecordMax - used);
  return {scratch.data(), used};
}

}  // namespace

TlsStream::TlsStream(TcpSocket socket, SslOwner<SSL> ssl, std::unique_ptr<const std::string> key)
    : socket_(std::move(socket)), key_(std::move(key)), ssl_(std::move(ssl)) {
  error_code error;
  ignore(socket_.set_option(boost::asio::ip::tcp::no_delay(true), error), "a socket may be gone");
  ignore(socket_.native_non_blocking(true, error), "a socket may be gone");
  wire_.descriptor = socket_.native_handle();
  SslOwner<BIO> bio = make_wire_bio(wire_);
  broken_ = bio == nullptr;
  if (broken_) return;
  SSL_set_bio(ssl_.get(), bio.get(), bio.get());
  ignore(bio.release(), "the connection owns it now");
}

// A connection that ends without close_notify says nothing bad of its session, but OpenSSL would
// not resume it any more; so it is told that all is well.
TlsStream::~TlsStream() {
  PENSTOCK_ASSERT(read_.waiter == nullptr && rest_ == nullptr);
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

runtime::Task<TlsStream::Handshake> TlsStream::handshake(Role role, runtime::EventLoop& loop,
                                                         TimePoint until,
                                                         runtime::CallContext context) {
  SocketLimit limit(socket_, loop, until, context);
  if (broken_) co_return Handshake{DialEnd::kLocal, "no memory for TLS"};
  if (role == Role::kClient)
    SSL_set_connect_state(ssl_.get());
  else
    SSL_set_accept_state(ssl_.get());
  while (!limit.ended()) {
    ERR_clear_error();
    const int code = SSL_do_handshake(ssl_.get());
    if (code == 1) co_return Handshake{};
    const int why = SSL_get_error(ssl_.get(), code);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) co_return refusal(why);
    const auto wanted = why == SSL_ERROR_WANT_READ ? TcpSocket::wait_read : TcpSocket::wait_write;
    ignore(co_await socket_.async_wait(wanted, runtime::kAsTask), "OpenSSL meets the error itself");
    wire_.drained = false;
  }
  broken_ = true;
  co_return Handshake{*limit.ended(), "during the TLS handshake"};
}

// why: SSL_get_error's.
TlsStream::Handshake TlsStream::refusal(int why) {
  broken_ = true;
  const long verdict = SSL_get_verify_result(ssl_.get());
  const bool cut = why == SSL_ERROR_SYSCALL ||
                   ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  std::string said = take_ssl_error("the handshake failed");
  if (verdict != X509_V_OK) return {DialEnd::kTls, X509_verify_cert_error_string(verdict)};
  if (cut) return {DialEnd::kRefused, "the connection ended during the TLS handshake"};
  return {DialEnd::kTls, std::move(said)};
}

std::optional<IoResult> TlsStream::start_read(std::span<char> into, IoWaiter& waiter) {
  PENSTOCK_ASSERT(read_.waiter == nullptr && !into.empty());
  if (cancelled_) return IoResult{IoEnd::kCancelled, 0};
  if (const std::optional<IoResult> now = pull(into)) return now;
  read_ = PendingRead{into, &waiter, false};
  wait_to_read();
  return std::nullopt;
}

std::optional<IoResult> TlsStream::pull(std::span<char> into) {
  if (broken_) return IoResult{IoEnd::kReset, 0};
  ERR_clear_error();
  std::size_t count = 0;
  const int code = SSL_read_ex(ssl_.get(), into.data(), into.size(), &count);
  if (code == 1) return IoResult{IoEnd::kOk, count};
  const std::optional<IoEnd> end = after_failure(code);
  if (!end) return std::nullopt;
  return IoResult{*end, 0};
}

// How a call ended, or nullopt when it is to be repeated once the socket is ready for `wanted_`.
std::optional<IoEnd> TlsStream::after_failure(int code) {
  const int why = SSL_get_error(ssl_.get(), code);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    wanted_ = why == SSL_ERROR_WANT_READ ? TcpSocket::wait_read : TcpSocket::wait_write;
    return std::nullopt;
  }
  ERR_clear_error();
  if (why == SSL_ERROR_ZERO_RETURN) return IoEnd::kEof;
  broken_ = true;
  return IoEnd::kReset;
}

void TlsStream::wait_to_read() {
  socket_.async_wait(wanted_, [this](const error_code&) {
    wire_.drained = false;
    std::optional<IoResult> done;
    if (cancelled_ || read_.cancelled)
      done = IoResult{IoEnd::kCancelled, 0};
    else
      done = pull(read_.into);  // meets the socket's error itself, if it has one
    if (!done) return wait_to_read();
    std::exchange(read_, PendingRead{}).waiter->complete(*done);
  });
}

std::optional<IoResult> TlsStream::start_write(std::span<const std::string_view> pieces,
                                               IoWaiter& waiter) {
  PENSTOCK_ASSERT(rest_ == nullptr && pieces.size() <= kPiecesMax);
  if (cancelled_) return IoResult{IoEnd::kCancelled, 0};
  Rest rest;
  std::ranges::copy(pieces, rest.pieces.begin());
  rest.count = pieces.size();
  if (const std::optional<IoResult> now = push(rest)) return now;
  rest.waiter = &waiter;
  rest_ = std::make_unique<Rest>(rest);
  wait_to_write();
  return std::nullopt;
}

std::optional<IoResult> TlsStream::push(Rest& rest) {
  while (rest.next < rest.count) {
    if (broken_) return IoResult{IoEnd::kReset, rest.written};
    const std::string_view record =
        next_record(std::span(rest.pieces).subspan(rest.next, rest.count - rest.next));
    ERR_clear_error();
    std::size_t left = 0;
    const int code = SSL_write_ex(ssl_.get(), record.data(), record.size(), &left);
    if (code != 1) {
      if (const std::optional<IoEnd> end = after_failure(code)) return IoResult{*end, rest.written};
      return std::nullopt;
    }
    rest.written += left;
    written_ += left;
    while (rest.next < rest.count && left >= rest.pieces[rest.next].size())
      left -= rest.pieces[rest.next++].size();
    if (left != 0) rest.pieces[rest.next].remove_prefix(left);
  }
  return IoResult{IoEnd::kOk, rest.written};
}

void TlsStream::wait_to_write() {
  socket_.async_wait(wanted_, [this](const error_code&) {
    wire_.drained = false;
    std::optional<IoResult> done;
    if (cancelled_)
      done = IoResult{IoEnd::kCancelled, rest_->written};
    else
      done = push(*rest_);
    if (!done) return wait_to_write();
    IoWaiter& waiter = *rest_->waiter;
    rest_.reset();
    waiter.complete(*done);
  });
}

// Records are a little longer than what is in them; only growth is looked at.
std::uint64_t TlsStream::bytes_taken() const noexcept {
  return written_ -
         std::min(written_, unacknowledged(const_cast<TcpSocket&>(socket_).native_handle()));
}

bool TlsStream::has_unread() noexcept { return socket_has_unread(socket_.native_handle()); }

void TlsStream::cancel() noexcept {
  cancelled_ = true;
  error_code error;
  ignore(socket_.cancel(error), "nothing pending is fine too");
}

// Asio cancels both directions at once; a write that waits finds the socket as it was and waits on.
void TlsStream::cancel_read() noexcept {
  read_.cancelled = read_.waiter != nullptr;
  error_code error;
  ignore(socket_.cancel(error), "nothing pending is fine too");
}

void TlsStream::shut_down_writing() noexcept {
  // With a write under way, close_notify would land in the midst of its record.
  if (!broken_ && rest_ == nullptr) {
    ERR_clear_error();
    ignore(SSL_shutdown(ssl_.get()), "best effort");
    ERR_clear_error();
  }
  error_code error;
  ignore(socket_.shutdown(TcpSocket::shutdown_send, error), "the peer may have left");
}

// Past Asio, which would take the option back when it closes the socket in its destructor.
void TlsStream::reset_on_close() noexcept {
  constexpr linger kReset{.l_onoff = 1, .l_linger = 0};
  ignore(::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_LINGER, &kReset, sizeof kReset),
         "best effort");
}

runtime::Task<Dialled> connect_tls(TcpSocket socket, TlsClient::Impl& client, std::string host,
                                   std::uint16_t port, runtime::EventLoop& loop, TimePoint until,
                                   runtime::CallContext context) {
  auto key = std::make_unique<const std::string>(host + ":" + std::to_string(port));
  const std::string server = *key;
  Result<SslOwner<SSL>> ssl = client.connection(host, *key);
  if (!ssl) co_return Dialled{DialEnd::kTls, nullptr, ssl.error().message};
  SSL* const connection = ssl->get();
  auto stream = std::make_unique<TlsStream>(std::move(socket), *std::move(ssl), std::move(key));
  TlsStream::Handshake made =
      co_await stream->handshake(TlsStream::Role::kClient, loop, until, context);
  if (made.end == DialEnd::kConnected) {
    const unsigned char* protocol = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(connection, &protocol, &size);
    const std::string_view chosen(reinterpret_cast<const char*>(protocol), size);
    if (chosen.empty() || chosen == "http/1.1")
      co_return Dialled{DialEnd::kConnected, std::move(stream), {}};
    made = TlsStream::Handshake{DialEnd::kTls, "the server chose a protocol that was not offered"};
  }
  if (made.end == DialEnd::kTls) client.sessions.forget(server);
  co_return Dialled{made.end, nullptr, std::move(made.detail)};
}

runtime::Task<std::unique_ptr<ByteStream>> accept_tls(TcpSocket socket, TlsServer::Impl& server,
                                                      runtime::EventLoop& loop, TimePoint until,
                                                      runtime::CallContext context) {
  SslOwner<SSL> ssl = server.connection();
  if (!ssl) co_return std::unique_ptr<ByteStream>();
  auto stream = std::make_unique<TlsStream>(std::move(socket), std::move(ssl), nullptr);
  const TlsStream::Handshake made =
      co_await stream->handshake(TlsStream::Role::kServer, loop, until, context);
  if (made.end != DialEnd::kConnected) co_return std::unique_ptr<ByteStream>();
  co_return std::unique_ptr<ByteStream>(std::move(stream));
}

}  // namespace penstock::net
