#pragma once

#include <openssl/bio.h>

#include "net/tls_impl.h"
#include "net/tls_stream.h"

namespace penstock::net {

// OpenSSL's view of a non-blocking socket. Its own socket BIO would raise SIGPIPE, and asks the
// kernel once more although the last read had left room. nullptr when memory is short.
// wire: outlives the BIO; the descriptor is not owned.
[[nodiscard]] SslOwner<BIO> make_wire_bio(TlsWire& wire) noexcept;

}  // namespace penstock::net
