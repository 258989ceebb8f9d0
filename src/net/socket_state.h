#pragma once

#include <cstdint>

// What the kernel knows of a connected TCP socket. Errors read as "nothing".
namespace penstock::net {

// Bytes written that the peer has not acknowledged yet. source: tcp(7), SIOCOUTQ.
[[nodiscard]] std::uint64_t unacknowledged(int descriptor) noexcept;

// Whether bytes, or the connection's end, wait to be read.
[[nodiscard]] bool socket_has_unread(int descriptor) noexcept;

}  // namespace penstock::net
