#include "net/address.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>

namespace penstock::net {
bool Address::is_v6_loopback() const noexcept {
  return std::all_of(ip.begin(), ip.begin() + 15, [](std::uint8_t b) { return b == 0; }) &&
         ip[15] == 1;
}

std::string to_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.ip.data(), text, sizeof text);
  const std::string host = address.v6 ? "[" + std::string(text) + "]" : text;
  return host + ":" + std::to_string(address.port);
}

std::optional<Address> parse_ip(std::string_view host, std::uint16_t port) {
  if (host.find('\0') != std::string_view::npos) return std::nullopt;  // would end the text early
  const std::string text(host);
  Address address{.port = port};
  if (::inet_pton(AF_INET, text.c_str(), address.ip.data()) == 1) return address;
  address.v6 = true;
  if (::inet_pton(AF_INET6, text.c_str(), address.ip.data()) == 1) return address;
  return std::nullopt;
}

}  // namespace penstock::net
