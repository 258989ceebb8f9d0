#pragma once

#include <string>

#include "base/error.h"
#include "fleet/provider.h"
#include "gateway/request_scope.h"
#include "net/byte_stream.h"
#include "net/connection_pool.h"
#include "net/http_call.h"

namespace penstock::gateway {

// The error of an attempt that got no connection.
[[nodiscard]] Error no_connection(const net::Acquired& acquired, const fleet::Provider& provider);

// The error of an attempt that got no reply head. `sent` is how writing the request ended.
[[nodiscard]] Error no_head(net::HeadEnd end, net::IoEnd sent, const std::string& detail);

// The error of what found no room in the memory that all bodies share.
[[nodiscard]] Error memory_full();

// The error of an attempt that the gateway was told to stop.
[[nodiscard]] Error stopped();

// The error of an attempt whose time ran out: ours where the request's own deadline has come, else
// the provider's, as `message` says.
[[nodiscard]] Error late(const RequestScope& scope, std::string_view message);

}  // namespace penstock::gateway
