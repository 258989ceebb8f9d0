#include "net/tcp_listener.h"

#include <cerrno>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "net/byte_stream.h"
#include "net/counted_stream.h"
#include "net/listen_socket.h"
#include "net/tcp_stream.h"
#include "net/tls_stream.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"

namespace penstock::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Acceptor = boost::asio::basic_socket_acceptor<tcp, boost::asio::io_context::executor_type>;

constexpr int kAcceptsPerTurn = 16;              // then what is open already has its turn
constexpr int kQueueMax = 4096;                  // a flood does not keep take_waiting() going
constexpr Duration kShortOfDescriptors = 100ms;  // nothing frees one sooner than a close
constexpr Duration kShortOfPlaces = 10ms;

tcp protocol_of(int descriptor) noexcept {
  int family = AF_INET;
  socklen_t size = sizeof family;
  ignore(::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size), "IPv4 then");
  return family == AF_INET6 ? tcp::v6() : tcp::v4();
}

// Errors of one connection, which was gone before it was accepted (accept(2), "Error handling").
bool only_that_connection(int error) noexcept {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENETDOWN:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENONET:
    case ENOPROTOOPT:
    case EOPNOTSUPP: return true;
  }
  return false;
}

}  // namespace

struct TcpListener::State {
  // What one try to accept leads to.
  enum class Next : std::uint8_t { kMore, kWait, kPauseForPlace, kPauseForDescriptor };

  State(runtime::AsioLoop& its_loop, ListenSocket socket, OnStream call, ListenerOptions given)
      : loop(its_loop),
        on_stream(std::move(call)),
        options(given),
        protocol(protocol_of(socket.descriptor())),
        acceptor(its_loop.context().get_executor()),
        pause(its_loop.timers(), [](void* self) { static_cast<State*>(self)->go_on(); }, this) {
    acceptor.assign(protocol, socket.release());
  }

  void wait();
  void go_on();
  [[nodiscard]] Next accept_some(int max);
  [[nodiscard]] bool busy() const noexcept { return waiting || accepting; }
  void tell_joiner();
  [[nodiscard]] Next accept_one();
  void hand_on(int descriptor, std::optional<ConnectionPlace> place);
  [[nodiscard]] runtime::Task<void> secure(TcpSocket socket, std::optional<ConnectionPlace> place);
  void give(std::unique_ptr<ByteStream> stream, std::optional<ConnectionPlace> place);

  runtime::AsioLoop& loop;
  OnStream on_stream;
  ListenerOptions options;
  tcp protocol;
  Acceptor acceptor;
  runtime::Timer pause;
  runtime::TaskGroup handshakes;
  runtime::Cancellation leaving;  // ends handshakes
  bool closed = false;
  bool waiting = false;    // for the reactor
  bool accepting = false;  // `on_stream` may be running
  std::coroutine_handle<> joiner;
};

void TcpListener::State::wait() {
  if (waiting || closed) return;
  waiting = true;
  acceptor.async_wait(Acceptor::wait_read, [this](const error_code&) {
    waiting = false;
    if (closed) return tell_joiner();
    go_on();
  });
}

// The last thing that its caller does: the listener may be gone afterwards.
void TcpListener::State::tell_joiner() {
  if (!busy() && joiner) std::exchange(joiner, {}).resume();
}

// `on_stream` may stop the listener, which is then joined only after this has ended.
TcpListener::State::Next TcpListener::State::accept_some(int max) {
  accepting = true;
  Next next = Next::kMore;
  for (int i = 0; i < max && next == Next::kMore; ++i) next = accept_one();
  accepting = false;
  return next;
}

void TcpListener::State::go_on() {
  const Next next = accept_some(kAcceptsPerTurn);
  if (closed) return tell_joiner();
  switch (next) {
    case Next::kMore:
    case Next::kWait: return wait();
    case Next::kPauseForPlace: return pause.arm(loop.clock().now() + kShortOfPlaces);
    case Next::kPauseForDescriptor: return pause.arm(loop.clock().now() + kShortOfDescriptors);
  }
}

TcpListener::State::Next TcpListener::State::accept_one() {
  if (closed) return Next::kWait;
  std::optional<ConnectionPlace> place;
  if (options.connections != nullptr) {
    place = ConnectionPlace::take(*options.connections, options.connections_max);
    if (!place) return Next::kPauseForPlace;
  }
  const int descriptor =
      ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor >= 0) {
    hand_on(descriptor, std::move(place));
    return Next::kMore;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK) return Next::kWait;
  return only_that_connection(errno) ? Next::kMore : Next::kPauseForDescriptor;
}

void TcpListener::State::hand_on(int descriptor, std::optional<ConnectionPlace> place) {
  TcpSocket socket(loop.context().get_executor());
  error_code error;
  ignore(socket.assign(protocol, descriptor, error), "looked at below");
  if (error) {
    ignore(ListenSocket(descriptor), "closes what nobody owns");
    return;
  }
  if (options.tls != nullptr)
    handshakes.spawn(secure(std::move(socket), std::move(place)));
  else
    give(std::make_unique<TcpStream>(std::move(socket)), std::move(place));
}

runtime::Task<void> TcpListener::State::secure(TcpSocket socket,
                                               std::optional<ConnectionPlace> place) {
  const runtime::CallContext context{leaving};
  const TimePoint until = loop.clock().now() + options.handshake_wait;
  std::unique_ptr<ByteStream> stream =
      co_await accept_tls(std::move(socket), options.tls->impl(), loop, until, context);
  if (stream != nullptr && !leaving.requested()) give(std::move(stream), std::move(place));
}

void TcpListener::State::give(std::unique_ptr<ByteStream> stream,
                              std::optional<ConnectionPlace> place) {
  if (place)
    on_stream(std::make_unique<CountedStream>(std::move(stream), *std::move(place)));
  else
    on_stream(std::move(stream));
}

TcpListener::TcpListener(runtime::EventLoop& loop, ListenSocket socket, OnStream on_stream,
                         ListenerOptions options)
    : state_(std::make_unique<State>(static_cast<runtime::AsioLoop&>(loop), std::move(socket),
                                     std::move(on_stream), options)) {
  state_->wait();
}

TcpListener::~TcpListener() {
  PENSTOCK_ASSERT(!state_->busy() && state_->handshakes.running() == 0);
}

void TcpListener::let_nobody_in() noexcept {
  drop_new_connections(state_->acceptor.native_handle());
}

// The kernel's queue has a bound of its own; at the ceiling it would be reset instead.
void TcpListener::take_waiting() {
  state_->options.connections_max = std::numeric_limits<std::size_t>::max();
  ignore(state_->accept_some(kQueueMax), "what is left waits for its turn");
  if (state_->closed) state_->tell_joiner();
}

void TcpListener::close() noexcept {
  if (std::exchange(state_->closed, true)) return;
  state_->pause.disarm();
  error_code error;
  ignore(state_->acceptor.close(error), "it is gone either way");
}

void TcpListener::stop() noexcept {
  close();
  state_->leaving.request(runtime::StopReason::kShutdown);
}

runtime::Task<void> TcpListener::join() {
  struct NotBusy {
    State& state;
    [[nodiscard]] bool await_ready() const noexcept { return !state.busy(); }
    void await_suspend(std::coroutine_handle<> caller) const noexcept { state.joiner = caller; }
    void await_resume() const noexcept {}
  };
  co_await NotBusy{*state_};
  co_await state_->handshakes.join();
}

}  // namespace penstock::net
