#include "net/socket_state.h"

#include <cerrno>
#include <cstdint>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace penstock::net {

std::uint64_t unacknowledged(int descriptor) noexcept {
  int bytes = 0;
  if (::ioctl(descriptor, SIOCOUTQ, &bytes) != 0 || bytes < 0) return 0;
  return static_cast<std::uint64_t>(bytes);
}

bool socket_has_unread(int descriptor) noexcept {
  char byte = 0;
  const auto got = ::recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

}  // namespace penstock::net
