#include "net/listen_socket.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "net/address.h"

namespace penstock::net {
namespace {

constexpr int kBacklog = 4096;  // the kernel cuts it to net.core.somaxconn

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress to_kernel(const Address& address, socklen_t& size) noexcept {
  SocketAddress text{};
  std::memset(&text, 0, sizeof text);
  if (address.v6) {
    text.v6.sin6_family = AF_INET6;
    text.v6.sin6_port = htons(address.port);
    std::ranges::copy(address.ip, text.v6.sin6_addr.s6_addr);
    size = sizeof text.v6;
  } else {
    text.v4.sin_family = AF_INET;
    text.v4.sin_port = htons(address.port);
    std::memcpy(&text.v4.sin_addr, address.ip.data(), sizeof text.v4.sin_addr);
    size = sizeof text.v4;
  }
  return text;
}

std::unexpected<Error> refuse(const Address& address, int error) {
  const std::string place = to_text(address);
  if (error == EADDRINUSE) return fail(ErrorCode::kInvalidRequest, place + " is in use already");
  return fail(ErrorCode::kInvalidRequest,
              "cannot listen at " + place + ": " + std::generic_category().message(error));
}

bool enable(int descriptor, int option) noexcept {
  constexpr int kOn = 1;
  return ::setsockopt(descriptor, SOL_SOCKET, option, &kOn, sizeof kOn) == 0;
}

enum class Sharing : bool { kAlone, kWithOurOwn };

Result<ListenSocket> listen_one(const Address& address, Sharing sharing) {
  ListenSocket made(::socket(address.v6 ? AF_INET6 : AF_INET,
                             SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (made.descriptor() < 0) return refuse(address, errno);
  socklen_t size = 0;
  const SocketAddress place = to_kernel(address, size);
  const bool ready = enable(made.descriptor(), SO_REUSEADDR) &&
                     (sharing == Sharing::kAlone || enable(made.descriptor(), SO_REUSEPORT)) &&
                     ::bind(made.descriptor(), &place.any, size) == 0 &&
                     ::listen(made.descriptor(), kBacklog) == 0;
  if (!ready) return refuse(address, errno);
  return made;
}

std::uint16_t port_of(const ListenSocket& socket) noexcept {
  SocketAddress text{};
  socklen_t size = sizeof text;
  if (::getsockname(socket.descriptor(), &text.any, &size) != 0) return 0;
  return ntohs(text.any.sa_family == AF_INET6 ? text.v6.sin6_port : text.v4.sin_port);
}

}  // namespace

ListenSocket::~ListenSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// The first socket listens without SO_REUSEPORT: the kernel then refuses it wherever another one
// listens, and refuses everybody else from there on. Only after that does it admit its siblings.
Result<ListenSet> listen_on(const Address& address, unsigned workers) {
  ListenSet set{.bound = address, .sockets = {}};
  PENSTOCK_TRY(ListenSocket first, listen_one(address, Sharing::kAlone));
  set.bound.port = port_of(first);
  if (!enable(first.descriptor(), SO_REUSEPORT)) return refuse(set.bound, errno);
  set.sockets.push_back(std::move(first));
  while (set.sockets.size() < workers) {
    PENSTOCK_TRY(ListenSocket next, listen_one(set.bound, Sharing::kWithOurOwn));
    set.sockets.push_back(std::move(next));
  }
  return set;
}

void drop_new_connections(int descriptor) noexcept {
  constexpr std::uint32_t kFlagsAt = 13;  // in the TCP header, where a socket's filter begins
  constexpr std::uint32_t kSynAndAck = 0x12;
  constexpr std::uint32_t kSyn = 0x02;
  constexpr std::uint32_t kWhole = 0xffffffff;
  std::array<sock_filter, 5> program{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlagsAt),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSynAndAck),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSyn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, kWhole),
  }};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  ignore(::setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter),
         "then a connection may be lost in the moment of the close");
}

}  // namespace penstock::net
