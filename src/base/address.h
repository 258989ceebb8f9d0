#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// Where a listener stands: `127.0.0.1:7100`, `[::1]:7100`, `localhost:0`.
struct ListenAddress {
  std::string host;  // a literal address without brackets, or localhost
  std::uint16_t port = 0;
};

// Nullopt when the text is no such address; names other than localhost are none.
[[nodiscard]] std::optional<ListenAddress> parse_listen_address(std::string_view text);

// True for 127.0.0.0/8, ::1 and localhost: nobody beyond this machine can connect.
[[nodiscard]] bool is_loopback(const ListenAddress& address);

// The parts of a base URL.
struct BaseUrl {
  std::string scheme;  // http | https
  std::string host;    // a name or a literal address without brackets, lower-case
  std::uint16_t port = 0;
  std::string path;  // without its trailing slash; empty when there is none
};

// Nullopt unless the text is `http(s)://host[:port][/path]` with nothing else: no user, query,
// fragment, space or control character.
[[nodiscard]] std::optional<BaseUrl> parse_base_url(std::string_view text);

// Where it stands as a Host header says it: the port only when it is not the scheme's own.
[[nodiscard]] std::string authority_of(const BaseUrl& url);

// Whether a request's Origin is a page of this machine. Browsers say there where a page came from;
// programs do not send it.
[[nodiscard]] bool is_loopback_origin(std::string_view origin);

// Whether the authority of a request (`host` or `host:port`) is a literal address or localhost. A
// page from elsewhere that had its own name resolved to this machine cannot say so.
[[nodiscard]] bool is_literal_authority(std::string_view authority);

}  // namespace penstock
