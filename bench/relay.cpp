// A relay that looks at nothing: what one connection in and one out cost over our Task, our TCP
// stream and Asio. `./dev bench` takes it as the floor under the gateway. A client's connection has
// an upstream connection of its own, dialled when it is accepted.
//
//   penstock_relay LISTEN-PORT UPSTREAM-PORT      both on 127.0.0.1, one thread

#include <array>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/dialer.h"
#include "net/listen_socket.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "net/tcp_listener.h"
#include "runtime/asio_loop.h"
#include "runtime/cancellation.h"
#include "runtime/signals.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"

namespace penstock::bench {
namespace {

using net::ByteStream;
using net::IoEnd;
using net::IoResult;
using runtime::Task;

// Two connections, each of which gets what the other one sends.
class Pair {
 public:
  Pair(std::unique_ptr<ByteStream> client, std::unique_ptr<ByteStream> upstream)
      : client_(std::move(client)), upstream_(std::move(upstream)) {}

  // Until both sides have said that they send no more, or either connection broke.
  Task<void> run() {
    ways_.spawn(copy(*client_, *upstream_, there_));
    ways_.spawn(copy(*upstream_, *client_, back_));
    co_await ways_.join();
  }
  void cancel() noexcept {
    client_->cancel();
    upstream_->cancel();
  }

 private:
  using Buffer = std::array<char, std::size_t{16} << 10>;

  Task<void> copy(ByteStream& from, ByteStream& to, Buffer& buffer) {
    while (true) {
      const IoResult got = co_await net::Read(from, buffer);
      if (got.end == IoEnd::kEof) co_return to.shut_down_writing();
      if (got.end != IoEnd::kOk) co_return cancel();
      const std::string_view pieces[] = {std::string_view(buffer.data(), got.bytes)};
      const IoResult put = co_await net::Write(to, pieces);
      if (put.end != IoEnd::kOk) co_return cancel();
    }
  }

  std::unique_ptr<ByteStream> client_;
  std::unique_ptr<ByteStream> upstream_;
  Buffer there_;
  Buffer back_;
  runtime::TaskGroup ways_;
};

class Relay {
 public:
  Relay(runtime::AsioLoop& loop, net::Dialer& dialer, net::ListenSocket socket, net::Origin origin)
      : loop_(loop),
        dialer_(dialer),
        origin_(std::move(origin)),
        listener_(
            loop, std::move(socket),
            [this](std::unique_ptr<ByteStream> stream) { calls_.spawn(serve(std::move(stream))); },
            net::ListenerOptions{}) {}

  // Ends everything, then the loop.
  void leave() {
    if (!leaving_.requested()) ending_.spawn(end());
  }

 private:
  Task<void> serve(std::unique_ptr<ByteStream> client) {
    const runtime::CallContext context{leaving_};
    net::Dialled dialled = co_await dialer_.dial(loop_, origin_, 1s, context);
    if (dialled.stream == nullptr || leaving_.requested()) co_return;
    Pair pair(std::move(client), std::move(dialled.stream));
    const auto place = pairs_.insert(pairs_.end(), &pair);
    co_await pair.run();
    pairs_.erase(place);
  }
  Task<void> end() {
    listener_.stop();
    leaving_.request(runtime::StopReason::kShutdown);
    for (Pair* const pair : pairs_) pair->cancel();
    co_await listener_.join();
    co_await calls_.join();
    loop_.stop();
  }

  runtime::AsioLoop& loop_;
  net::Dialer& dialer_;
  net::Origin origin_;
  runtime::Cancellation leaving_;
  std::list<Pair*> pairs_;
  runtime::TaskGroup calls_;
  runtime::TaskGroup ending_;
  net::TcpListener listener_;
};

std::optional<std::uint16_t> port_in(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

int run(std::uint16_t listen_port, std::uint16_t upstream_port) {
  runtime::ignore_broken_pipes();
  runtime::raise_descriptor_limit();
  Result<net::ListenSet> listening = net::listen_on(*net::parse_ip("127.0.0.1", listen_port), 1);
  if (!listening) {
    fmt::print(stderr, "penstock_relay: {}\n", listening.error().message);
    return 1;
  }
  const runtime::SystemClock clock;
  net::SystemResolver resolver(clock);
  net::TcpDialer dialer(resolver);
  runtime::AsioLoop loop(clock);
  net::Origin origin{.host = "127.0.0.1", .port = upstream_port};
  Relay relay(loop, dialer, std::move(listening->sockets.front()), std::move(origin));
  const runtime::Signals signals(loop, {SIGTERM, SIGINT}, [&relay](int) { relay.leave(); });
  fmt::print(stderr, "{{\"msg\":\"listening\",\"data\":\"{}\"}}\n", to_text(listening->bound));
  loop.run();
  return 0;
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  using penstock::bench::port_in;
  const auto listen_port = argc == 3 ? port_in(argv[1]) : std::nullopt;
  const auto upstream_port = argc == 3 ? port_in(argv[2]) : std::nullopt;
  if (!listen_port || !upstream_port) {
    fmt::print(stderr, "usage: penstock_relay LISTEN-PORT UPSTREAM-PORT\n");
    return 1;
  }
  return penstock::bench::run(*listen_port, *upstream_port);
}
