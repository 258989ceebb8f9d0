#pragma once

#include "net/http_server.h"

namespace penstock::config {
struct Config;
}

namespace penstock::app {

// What the configuration says about how clients' connections are served.
[[nodiscard]] net::ServerOptions server_options(const config::Config& config);

}  // namespace penstock::app
