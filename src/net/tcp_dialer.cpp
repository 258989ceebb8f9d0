#include "net/tcp_dialer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "net/address.h"
#include "net/dialer.h"
#include "net/socket_limit.h"
#include "net/tcp_stream.h"
#include "net/tls_stream.h"
#include "runtime/asio_loop.h"
#include "runtime/asio_op.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::net {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

struct Connected {
  DialEnd end = DialEnd::kConnected;
  std::optional<TcpSocket> socket;  // only with kConnected
  std::string detail;
};

tcp::endpoint endpoint_of(const Address& address) {
  if (address.v6) {
    return {boost::asio::ip::address_v6(address.ip), address.port};
  }
  std::array<std::uint8_t, 4> bytes{};
  std::copy_n(address.ip.begin(), bytes.size(), bytes.begin());
  return {boost::asio::ip::address_v4(bytes), address.port};
}

// Whose doing a failed socket call is.
DialEnd end_of(const error_code& error) noexcept {
  switch (error.value()) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EADDRNOTAVAIL: return DialEnd::kLocal;
    case ETIMEDOUT: return DialEnd::kTimedOut;
  }
  return DialEnd::kRefused;
}

Connected failed(const Address& address, const error_code& error) {
  return {end_of(error), std::nullopt, to_text(address) + ": " + error.message()};
}

// Connecting to a free port of one's own machine can meet itself (simultaneous open).
bool met_itself(TcpSocket& socket) {
  error_code error;
  const tcp::endpoint here = socket.local_endpoint(error);
  return !error && here == socket.remote_endpoint(error) && !error;
}

runtime::Task<Connected> connect(runtime::AsioLoop& loop, Address address, TimePoint until,
                                 runtime::CallContext context) {
  TcpSocket socket(loop.context().get_executor());
  error_code error;
  ignore(socket.open(address.v6 ? tcp::v6() : tcp::v4(), error), "looked at below");
  if (error) co_return failed(address, error);
  SocketLimit limit(socket, loop, until, context);
  if (!limit.ended()) {
    const tcp::endpoint to = endpoint_of(address);
    const auto [ended] = co_await socket.async_connect(to, runtime::kAsTask);
    error = ended;
  }
  if (limit.ended()) {
    co_return Connected{*limit.ended(), std::nullopt, to_text(address) + ": no answer in time"};
  }
  if (error) co_return failed(address, error);
  if (met_itself(socket)) co_return failed(address, boost::asio::error::connection_refused);
  co_return Connected{DialEnd::kConnected, std::move(socket), {}};
}

// A wait for a name that gave nothing: who ended it?
Dialled unresolved(const Error& error, std::string_view host, TimePoint until,
                   const runtime::CallContext& context) {
  const std::string detail = std::string("resolving ").append(host);
  if (context.cancellation.requested()) return {DialEnd::kCancelled, nullptr, detail};
  if (error.code == ErrorCode::kDeadlineExceeded) {
    return {context.deadline < until ? DialEnd::kCancelled : DialEnd::kTimedOut, nullptr, detail};
  }
  return {DialEnd::kUnresolved, nullptr, detail + ": " + error.detail};
}

// Tries the addresses in order until one answers or there is no point in going on.
runtime::Task<Connected> connect_any(runtime::AsioLoop& loop, std::vector<Address> addresses,
                                     TimePoint until, runtime::CallContext context) {
  const std::size_t count = std::min(addresses.size(), TcpDialer::kAddressesMax);
  Connected last{DialEnd::kUnresolved, std::nullopt, "no address"};
  for (std::size_t i = 0; i < count; ++i) {
    const TimePoint now = loop.clock().now();
    const TimePoint share = now + (until - now) / static_cast<std::int64_t>(count - i);
    last = co_await connect(loop, addresses[i], share, context);
    const bool next_may_do = last.end == DialEnd::kRefused || last.end == DialEnd::kTimedOut;
    if (!next_may_do) break;
  }
  co_return last;
}

}  // namespace

runtime::Task<Dialled> TcpDialer::dial(runtime::EventLoop& loop, const Origin& origin,
                                       Duration timeout, runtime::CallContext context) {
  auto& asio = static_cast<runtime::AsioLoop&>(loop);
  const TimePoint until = loop.clock().now() + timeout;
  std::vector<Address> addresses;
  if (const std::optional<Address> literal = parse_ip(origin.host, origin.port)) {
    addresses.push_back(*literal);
  } else {
    const runtime::CallContext limited{context.cancellation, std::min(context.deadline, until)};
    Result<std::vector<Address>> found = co_await resolver_.resolve(loop, origin.host, limited);
    if (!found) co_return unresolved(found.error(), origin.host, until, context);
    addresses = *std::move(found);
    for (Address& address : addresses) address.port = origin.port;
  }
  Connected made = co_await connect_any(asio, std::move(addresses), until, context);
  if (made.end != DialEnd::kConnected) co_return Dialled{made.end, nullptr, std::move(made.detail)};
  if (origin.tls == nullptr) {
    auto plain = std::make_unique<TcpStream>(*std::move(made.socket));
    co_return Dialled{DialEnd::kConnected, std::move(plain), {}};
  }
  co_return co_await connect_tls(*std::move(made.socket), origin.tls->impl(), origin.host,
                                 origin.port, loop, until, context);
}

}  // namespace penstock::net
