#include "identity/key_set_url.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/address.h"

namespace penstock::identity {
namespace {

struct Parts {
  std::string_view base;    // scheme and authority
  std::string_view target;  // the rest
};

Parts split(std::string_view text) {
  const std::size_t scheme = text.find("://");
  const std::size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(text.find_first_of("/?#", from), text.size());
  return {text.substr(0, path), text.substr(path)};
}

bool is_target(std::string_view target) {
  if (!target.empty() && target.front() != '/') return false;
  return std::ranges::all_of(
      target, [](char c) { return c > ' ' && c < '\x7f' && c != '#' && c != '\\' && c != '"'; });
}

}  // namespace

std::optional<KeySetUrl> parse_key_set_url(std::string_view text) {
  const Parts parts = split(text);
  const std::optional<BaseUrl> base = parse_base_url(parts.base);
  if (!base || !is_target(parts.target)) return std::nullopt;
  const bool plain = base->scheme == "http";
  if (plain && !is_loopback(ListenAddress{base->host, base->port})) return std::nullopt;
  KeySetUrl url;
  url.scheme = plain ? KeySetUrl::Scheme::kHttp : KeySetUrl::Scheme::kHttps;
  url.host = base->host;
  url.port = base->port;
  url.authority = authority_of(*base);
  url.target = parts.target.empty() ? "/" : std::string(parts.target);
  return url;
}

std::string_view check_key_set_url(std::string_view text) {
  if (parse_key_set_url(text)) return "";
  const std::optional<BaseUrl> base = parse_base_url(split(text).base);
  if (base && base->scheme == "http" && !is_loopback(ListenAddress{base->host, base->port}))
    return "must be https, unless it is on this machine (127.0.0.1, ::1, localhost)";
  return "must be a URL such as https://idp.example/jwks.json, without user and fragment";
}

}  // namespace penstock::identity
