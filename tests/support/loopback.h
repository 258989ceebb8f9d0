#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "net/byte_stream.h"
#include "tests/support/manual_loop.h"

namespace penstock::test {

// One direction of a connection in memory.
struct LoopbackOptions {
  friend bool operator==(const LoopbackOptions&, const LoopbackOptions&) = default;

  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  std::size_t capacity = std::size_t{64} << 10;  // bytes in flight; a writer waits beyond them
  std::size_t bytes_per_read = kNever;           // 1: a byte a packet
  // What happens to the reader once it was given so many bytes of this direction:
  std::size_t reset_after = kNever;  // the connection breaks, both ways
  std::size_t cut_after = kNever;    // it sees a proper end; the rest is lost
  std::size_t stall_after = kNever;  // nothing more arrives, and no end either
};

struct LoopbackPair {
  std::unique_ptr<net::ByteStream> client;
  std::unique_ptr<net::ByteStream> server;
};

// Two ends of a connection on `loop`, behaving as TcpStream does: a read is answered at once while
// the last one left something to read, a write while there is room; everything else comes through
// the loop, never inside a call. Ending an end ends its direction; it resets the connection when it
// was told to, when bytes were left unread, or when the peer sends to it later (a kernel does the
// same, and what was sent last may be lost with it: here it always is). `loop` outlives both ends.
[[nodiscard]] LoopbackPair loopback(ManualLoop& loop, LoopbackOptions to_server = LoopbackOptions(),
                                    LoopbackOptions to_client = LoopbackOptions());

}  // namespace penstock::test
