#include "app/server_options.h"

#include <cstddef>

#include "config/config.h"
#include "net/http_server.h"

namespace penstock::app {

net::ServerOptions server_options(const config::Config& config) {
  net::ServerOptions options;
  options.head.header_bytes = static_cast<std::size_t>(config.limits.header_bytes.value);
  options.head.target_bytes = static_cast<std::size_t>(config.limits.target_bytes.value);
  options.head_wait = config.listen.head_wait;
  options.keep_alive = config.listen.keep_alive;
  options.write_stall = config.listen.write_stall;
  return options;
}

}  // namespace penstock::app
