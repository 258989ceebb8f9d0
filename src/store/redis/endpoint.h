#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "net/tls.h"

namespace penstock::store::redis {

// Where Redis is and who we are there. The same user, password and TLS go to every node of a
// cluster.
struct Endpoint {
  std::string host;  // a name or a literal address without brackets
  std::uint16_t port = 6379;
  std::string user;  // empty: the default user
  Secret password;   // empty: none is sent
  std::uint32_t database = 0;
  bool encrypted = false;               // rediss
  std::shared_ptr<net::TlsClient> tls;  // set by whoever builds it, when encrypted
};

// Reads `redis[s]://[user[:password]@]host[:port][/database]`; user and password may be
// percent-encoded. `tls` is left empty.
// errors: kInvalidRequest; the message says what is wrong and holds nothing of the text.
[[nodiscard]] Result<Endpoint> parse_redis_url(const Secret& url);

}  // namespace penstock::store::redis
