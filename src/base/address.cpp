#include "base/address.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/ascii.h"
#include "base/quantity_text.h"

namespace penstock {
namespace {

struct HostPort {
  std::string host;
  std::string_view port;  // empty when none is written
  bool bracketed = false;
};

std::optional<HostPort> split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && (rest.front() != ':' || rest.size() == 1)) return std::nullopt;
    return HostPort{std::string(text.substr(1, close - 1)), rest.empty() ? rest : rest.substr(1),
                    true};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return HostPort{std::string(text), {}, false};
  if (colon + 1 == text.size()) return std::nullopt;
  return HostPort{std::string(text.substr(0, colon)), text.substr(colon + 1), false};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.size() > 5) return std::nullopt;
  const std::optional<std::uint32_t> number = parse_count_within(text, 0, 65535);
  if (!number) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

bool is_ipv4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_ipv6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_host_name(std::string_view host) {
  if (host.empty() || host.size() > 253) return false;
  // All digits and dots is an address, and then it must be a whole one.
  bool letters = false;
  for (const char c : host) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool other = (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    if (!letter && !other) return false;
    letters = letters || letter;
  }
  return letters && host.front() != '-' && host.front() != '.' &&
         host.find("..") == std::string_view::npos;
}

bool is_path(std::string_view path) {
  return std::ranges::all_of(path, [](char c) {
    return c > ' ' && c < '\x7f' && c != '?' && c != '#' && c != '\\' && c != '"';
  });
}

}  // namespace

std::optional<ListenAddress> parse_listen_address(std::string_view text) {
  const std::optional<HostPort> parts = split(text);
  if (!parts) return std::nullopt;
  const std::optional<std::uint16_t> port = parse_port(parts->port);
  if (!port) return std::nullopt;
  const bool known =
      parts->bracketed ? is_ipv6(parts->host) : is_ipv4(parts->host) || parts->host == "localhost";
  if (!known) return std::nullopt;
  return ListenAddress{parts->host, *port};
}

bool is_loopback(const ListenAddress& address) {
  if (address.host == "localhost") return true;
  in_addr four{};
  if (inet_pton(AF_INET, address.host.c_str(), &four) == 1)
    return (ntohl(four.s_addr) >> 24) == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, address.host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::optional<BaseUrl> parse_base_url(std::string_view text) {
  BaseUrl url;
  if (text.starts_with("http://"))
    url.scheme = "http";
  else if (text.starts_with("https://"))
    url.scheme = "https";
  else
    return std::nullopt;
  text.remove_prefix(url.scheme.size() + 3);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<HostPort> parts = split(text.substr(0, slash));
  if (!parts) return std::nullopt;
  const bool known =
      parts->bracketed ? is_ipv6(parts->host) : is_ipv4(parts->host) || is_host_name(parts->host);
  if (!known || !is_path(text.substr(slash))) return std::nullopt;
  url.host = lowered(parts->host);
  url.port = url.scheme == "http" ? 80 : 443;
  if (!parts->port.empty()) {
    const std::optional<std::uint16_t> port = parse_port(parts->port);
    if (!port || *port == 0) return std::nullopt;
    url.port = *port;
  }
  url.path = text.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

std::string authority_of(const BaseUrl& url) {
  std::string text = url.host.contains(':') ? "[" + url.host + "]" : url.host;
  if (url.port != (url.scheme == "https" ? 443 : 80)) text += ":" + std::to_string(url.port);
  return text;
}

bool is_loopback_origin(std::string_view origin) {
  const std::optional<BaseUrl> url = parse_base_url(origin);
  return url && is_loopback(ListenAddress{url->host, url->port});
}

bool is_literal_authority(std::string_view authority) {
  const std::optional<HostPort> parts = split(authority);
  if (!parts) return false;
  if (parts->bracketed) return is_ipv6(parts->host);
  return is_ipv4(parts->host) || lowered(parts->host) == "localhost";
}

}  // namespace penstock
