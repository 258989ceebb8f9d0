#include "gateway/passed_fields.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/ascii.h"
#include "wire/header_list.h"

namespace penstock::gateway {
namespace {

using Names = std::span<const std::string_view>;

// All tables are in alphabetical order, to be searched.
constexpr auto kHopByHop = std::to_array<std::string_view>(
    {"connection", "content-length", "keep-alive", "proxy-authenticate",
     "proxy-authentication-info", "proxy-connection", "te", "trailer", "trailers",
     "transfer-encoding", "upgrade"});

// Among them what tells a provider's account whom to bill: the key is the operator's.
constexpr auto kPrivate = std::to_array<std::string_view>({"accept-encoding",
                                                           "api-key",
                                                           "authorization",
                                                           "cf-connecting-ip",
                                                           "cf-connecting-ipv6",
                                                           "client-cert",
                                                           "client-cert-chain",
                                                           "content-encoding",
                                                           "content-type",
                                                           "cookie",
                                                           "expect",
                                                           "fastly-client-ip",
                                                           "fly-client-ip",
                                                           "forwarded",
                                                           "host",
                                                           "openai-organization",
                                                           "openai-project",
                                                           "proxy-authorization",
                                                           "range",
                                                           "remote-user",
                                                           "true-client-ip",
                                                           "via",
                                                           "x-access-token",
                                                           "x-amz-security-token",
                                                           "x-api-key",
                                                           "x-auth-token",
                                                           "x-authorization",
                                                           "x-client-ip",
                                                           "x-cluster-client-ip",
                                                           "x-csrf-token",
                                                           "x-email",
                                                           "x-goog-api-key",
                                                           "x-goog-user-project",
                                                           "x-http-method",
                                                           "x-http-method-override",
                                                           "x-method-override",
                                                           "x-real-ip",
                                                           "x-remote-user",
                                                           "x-request-id",
                                                           "x-request-timeout-ms",
                                                           "x-rewrite-url",
                                                           "x-tenant-id",
                                                           "x-user",
                                                           "x-xsrf-token"});

// What begins so: our own names, those that proxies in front of a gateway use for whom they have
// identified (oauth2-proxy, Google IAP, Cloudflare Access, AWS ALB, Azure App Service, Envoy,
// nginx), and the conditions of RFC 9110 section 13, by which a reply becomes a 304 or a 412.
constexpr auto kPrivateFamilies = std::to_array<std::string_view>(
    {"cf-access-", "if-", "ssl-client-", "x-amzn-mtls-", "x-amzn-oidc-", "x-auth-request-",
     "x-authenticated-", "x-client-cert", "x-envoy-", "x-forwarded-", "x-goog-authenticated-",
     "x-goog-iap-", "x-ms-client-principal", "x-ms-token-", "x-original-", "x-penstock-",
     "x-ssl-client-"});

constexpr auto kProvidersOwn = std::to_array<std::string_view>(
    {"alt-svc", "authorization", "clear-site-data", "location", "nel", "openai-organization",
     "openai-project", "proxy-authorization", "refresh", "report-to", "set-cookie",
     "strict-transport-security", "www-authenticate", "x-api-key", "x-request-id",
     "x-should-retry"});

// `x-ratelimit-*` is for the caller's own limits.
constexpr auto kProvidersFamilies =
    std::to_array<std::string_view>({"x-penstock-", "x-ratelimit-"});

static_assert(std::ranges::is_sorted(kHopByHop) && std::ranges::is_sorted(kPrivate) &&
              std::ranges::is_sorted(kPrivateFamilies) && std::ranges::is_sorted(kProvidersOwn) &&
              std::ranges::is_sorted(kProvidersFamilies));

bool is_in(Names names, std::string_view name) noexcept {
  return std::ranges::binary_search(names, name);
}

// No family begins another, so that a name's own is the last that is not behind it.
bool is_of(Names families, std::string_view name) noexcept {
  const auto next = std::ranges::upper_bound(families, name);
  return next != families.begin() && name.starts_with(*(next - 1));
}

}  // namespace

FieldName::FieldName(std::string_view name) noexcept
    : name_(name), size_(std::min(name.size(), kLongest)) {
  std::ranges::transform(name.substr(0, size_), plain_.begin(),
                         [](char byte) { return byte == '_' ? '-' : lower(byte); });
}

bool PassedFields::end_to_end(const FieldName& name) const noexcept {
  if (is_in(kHopByHop, name.plain())) return false;
  for (const wire::Header& field : headers_)
    if (field.name.size() == 10 && wire::equals_ignore_case(field.name, "connection") &&
        wire::list_contains_token(field.value, name.as_written()))
      return false;
  return true;
}

bool is_private(const FieldName& name) noexcept {
  return is_in(kPrivate, name.plain()) || is_of(kPrivateFamilies, name.plain());
}

bool is_providers_own(const FieldName& name) noexcept {
  return is_in(kProvidersOwn, name.plain()) || is_of(kProvidersFamilies, name.plain());
}

}  // namespace penstock::gateway
