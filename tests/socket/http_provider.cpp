#include "tests/socket/http_provider.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "net/address.h"
#include "net/byte_stream.h"
#include "net/exchange.h"
#include "net/http_server.h"
#include "net/listen_socket.h"
#include "net/tcp_listener.h"
#include "runtime/task.h"
#include "runtime/thread.h"

namespace penstock::test {

using runtime::Task;

HttpProvider::HttpProvider(const Clock& clock)
    : loop_(clock), server_(loop_, *this, net::ServerOptions()) {}

void HttpProvider::start() {
  Result<net::ListenSet> set = net::listen_on(net::Address{.ip = {127, 0, 0, 1}}, 1);
  if (!set) std::abort();
  port_ = set->bound.port;
  listener_ = std::make_unique<net::TcpListener>(
      loop_, std::move(set->sockets.front()),
      [this](std::unique_ptr<net::ByteStream> stream) { server_.accept(std::move(stream)); },
      net::ListenerOptions());
  thread_ = runtime::Thread("provider", [this] { loop_.run(); });
}

void HttpProvider::end() {
  loop_.post([this] { ending_.spawn(ended()); });
  thread_.join();
}

Task<void> HttpProvider::refuse(net::Exchange& exchange, Error) {
  exchange.break_off();
  co_return;
}

Task<void> HttpProvider::ended() {
  listener_->stop();
  server_.abort();
  co_await server_.join();
  co_await listener_->join();
  loop_.stop();
}

}  // namespace penstock::test
