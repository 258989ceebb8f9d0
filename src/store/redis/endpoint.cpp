#include "store/redis/endpoint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/percent.h"
#include "base/quantity_text.h"
#include "base/result.h"
#include "base/secret.h"

namespace penstock::store::redis {
namespace {

std::unexpected<Error> problem(std::string_view what) {
  return fail(ErrorCode::kInvalidRequest,
              std::string("a Redis URL reads redis[s]://[user[:password]@]host[:port][/database]; ")
                  .append(what));
}

// As written in a URL: nullopt also for what may not stand there but as an escape.
std::optional<std::string> decoded(std::string_view text) {
  const auto bare = [](char c) { return c <= ' ' || c >= '\x7f'; };
  return std::ranges::any_of(text, bare) ? std::nullopt : percent_decoded(text);
}

bool is_host(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  });
}

bool is_ipv6_text(std::string_view text) noexcept {
  return text.size() >= 2 && text.size() <= 45 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
                  c == ':' || c == '.';
         });
}

// "host", "host:port", "[::1]", "[::1]:port"
std::optional<std::string_view> read_host(std::string_view text, Endpoint& into) {
  std::string_view host;
  std::string_view behind;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return "its host has no closing bracket";
    host = text.substr(1, close - 1);
    behind = text.substr(close + 1);
    if (!is_ipv6_text(host)) return "its host is no address";
  } else {
    host = text.substr(0, text.find(':'));
    behind = text.substr(host.size());
    if (!is_host(host)) return "its host is missing or no name (is an @ missing or not encoded?)";
  }
  if (!behind.empty()) {
    const auto port = behind.front() == ':' ? parse_count_within(behind.substr(1), 1, 65535)
                                            : std::optional<std::uint32_t>();
    if (!port) return "its port is no number from 1 to 65535";
    into.port = static_cast<std::uint16_t>(*port);
  }
  into.host = host;
  return std::nullopt;
}

std::optional<std::string_view> read_user(std::string_view text, Endpoint& into) {
  const std::size_t colon = text.find(':');
  std::optional<std::string> user = decoded(text.substr(0, colon));
  if (!user) return "its user holds a character that must be percent-encoded";
  into.user = *std::move(user);
  if (colon == std::string_view::npos) return "it has a user and no password";
  std::optional<std::string> password = decoded(text.substr(colon + 1));
  if (!password) return "its password holds a character that must be percent-encoded";
  if (password->empty()) return "its password is empty";
  into.password = Secret(*std::move(password));
  return std::nullopt;
}

}  // namespace

Result<Endpoint> parse_redis_url(const Secret& url) {
  constexpr std::string_view kPlain = "redis://";
  constexpr std::string_view kTls = "rediss://";
  constexpr std::uint32_t kDatabaseMax = 1'000'000;
  std::string_view text = url.reveal();
  Endpoint endpoint;
  endpoint.encrypted = text.starts_with(kTls);
  if (!endpoint.encrypted && !text.starts_with(kPlain))
    return problem("this one begins with neither redis:// nor rediss://");
  text.remove_prefix(endpoint.encrypted ? kTls.size() : kPlain.size());
  if (text.find_first_of("?#") != std::string_view::npos)
    return problem("this one holds a ? or a #, which must be percent-encoded in a password");
  const std::size_t slash = text.find('/');
  std::string_view authority = text.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    if (const auto wrong = read_user(authority.substr(0, at), endpoint)) return problem(*wrong);
    authority.remove_prefix(at + 1);
  }
  if (const auto wrong = read_host(authority, endpoint)) return problem(*wrong);
  const std::string_view path =
      slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
  if (!path.empty()) {
    const std::optional<std::uint32_t> database = parse_count_within(path, 0, kDatabaseMax);
    if (!database) return problem("its database is no number");
    endpoint.database = *database;
  }
  return endpoint;
}

}  // namespace penstock::store::redis
