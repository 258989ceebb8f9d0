#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock::net {

// An IP address and a port.
struct Address {
  std::array<std::uint8_t, 16> ip{};  // IPv4 uses the first four bytes
  bool v6 = false;
  std::uint16_t port = 0;  // host order; 0: any

  bool operator==(const Address&) const = default;
  [[nodiscard]] bool loopback() const noexcept { return v6 ? is_v6_loopback() : ip[0] == 127; }

 private:
  [[nodiscard]] bool is_v6_loopback() const noexcept;
};

// "127.0.0.1:80", "[::1]:80".
[[nodiscard]] std::string to_text(const Address& address);

// Reads an IP literal (without brackets); nullopt for anything else, names included.
[[nodiscard]] std::optional<Address> parse_ip(std::string_view host, std::uint16_t port);

}  // namespace penstock::net
