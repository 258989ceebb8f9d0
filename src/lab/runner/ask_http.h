#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace penstock::lab {

// One question to a control plane on loopback.
struct HttpQuestion {
  std::uint16_t port = 0;
  std::string_view method = "GET";
  std::string_view path = "/";
  std::string_view body = {};
  std::string_view type = "application/json";
  Duration timeout = 2s;  // of each step
};
struct HttpReply {
  int status = 0;
  std::string body;
};

// Asks over a connection of its own and blocks for the answer: the lab is a script.
// errors: kUpstreamUnavailable without a reply, kUpstreamBadResponse for what is none.
[[nodiscard]] Result<HttpReply> ask_http(const HttpQuestion& question);

}  // namespace penstock::lab
