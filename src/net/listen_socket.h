#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace penstock::net {

// A socket that listens. Closes with its owner.
class ListenSocket {
 public:
  explicit ListenSocket(int descriptor) noexcept : descriptor_(descriptor) {}
  ListenSocket(ListenSocket&& other) noexcept : descriptor_(other.release()) {}
  ListenSocket& operator=(ListenSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ListenSocket(const ListenSocket&) = delete;
  ListenSocket& operator=(const ListenSocket&) = delete;
  ~ListenSocket();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // Hands the descriptor over.
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// One address, listened at by every worker.
struct ListenSet {
  Address bound;                      // with the port that was picked when 0 was asked for
  std::vector<ListenSocket> sockets;  // one for each worker; the kernel spreads connections
};

// Listens at `address` with `workers` sockets, at least one. From the return on connections queue
// up. Refuses a port that somebody serves already, though the kernel would share it among processes
// of one user.
// errors: kInvalidRequest, whose message says what is wrong with the address.
[[nodiscard]] Result<ListenSet> listen_on(const Address& address, unsigned workers);

// From now on the kernel passes over the first packet of a connection to this listening socket: who
// begins to connect is not answered, who has begun gets through. A client tries again after a
// second and finds the port closed by then, or another process there. What was accepted is not
// touched. Where the kernel does not allow it nothing happens.
// source: socket(7), SO_ATTACH_FILTER; flags in RFC 9293, section 3.1.
void drop_new_connections(int descriptor) noexcept;

}  // namespace penstock::net
