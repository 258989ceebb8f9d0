#include "gateway/passed_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

constexpr std::array<std::string_view, 11> kHopByHop{
    "connection", "content-length", "keep-alive", "proxy-authenticate", "proxy-connection",
    "te",         "trailer",        "trailers",   "transfer-encoding",  "proxy-authentication-info",
    "upgrade"};

// Among them what tells a provider's account whom to bill: the key is the operator's.
constexpr std::array<std::string_view, 26> kPrivate{"authorization",
                                                    "proxy-authorization",
                                                    "x-api-key",
                                                    "api-key",
                                                    "x-goog-api-key",
                                                    "cookie",
                                                    "host",
                                                    "accept-encoding",
                                                    "expect",
                                                    "x-tenant-id",
                                                    "x-request-id",
                                                    "x-request-timeout-ms",
                                                    "forwarded",
                                                    "x-forwarded-for",
                                                    "x-forwarded-host",
                                                    "x-forwarded-proto",
                                                    "x-real-ip",
                                                    "via",
                                                    "x-forwarded-port",
                                                    "true-client-ip",
                                                    "cf-connecting-ip",
                                                    "x-auth-token",
                                                    "x-amz-security-token",
                                                    "openai-organization",
                                                    "openai-project",
                                                    "x-goog-user-project"};

}  // namespace

bool PassedFields::end_to_end(std::string_view name) const noexcept {
  if (wire::is_one_of(name, kHopByHop)) return false;
  for (const wire::Header& field : headers_)
    if (field.name.size() == 10 && wire::equals_ignore_case(field.name, "connection") &&
        wire::list_contains_token(field.value, name))
      return false;
  return true;
}

bool is_internal(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "x-penstock-";
  return name.size() >= kPrefix.size() &&
         wire::equals_ignore_case(name.substr(0, kPrefix.size()), kPrefix);
}

// Some servers read an underscore in a name as a dash.
bool is_private(std::string_view name) noexcept {
  constexpr std::size_t kLongest = 64;  // no private name is longer
  if (name.find('_') == std::string_view::npos || name.size() > kLongest)
    return wire::is_one_of(name, kPrivate) || is_internal(name);
  std::array<char, kLongest> dashed;
  std::ranges::replace_copy(name, dashed.begin(), '_', '-');
  const std::string_view same(dashed.data(), name.size());
  return wire::is_one_of(same, kPrivate) || wire::is_one_of(same, kHopByHop) || is_internal(same);
}

}  // namespace penstock::gateway
