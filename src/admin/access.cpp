#include "admin/access.h"

#include <optional>
#include <string_view>

#include "base/address.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/secret.h"
#include "crypto/compare.h"
#include "gateway/surface_of.h"
#include "wire/header_list.h"
#include "wire/request_head.h"

namespace penstock::admin {
namespace {

bool bears(const wire::RequestHead& head, const Secret& token) {
  const std::optional<std::string_view> given = head.headers.find("authorization");
  constexpr std::string_view kScheme = "Bearer ";
  if (!given || head.headers.count("authorization") != 1 || given->size() <= kScheme.size() ||
      !wire::equals_ignore_case(given->substr(0, kScheme.size()), kScheme))
    return false;
  return crypto::constant_time_equal(wire::trim(given->substr(kScheme.size())), token.reveal());
}

}  // namespace

Result<void> check_caller(const wire::RequestHead& head, const Secret& token) {
  if (!token.empty()) {
    if (bears(head, token)) return {};
    return fail(ErrorCode::kUnauthenticated, "The admin plane asks for its bearer token.");
  }
  // A page whose own name was made to lead here would be of the same origin and read the answers.
  if (!gateway::path_of(head.target).starts_with("/admin/")) return {};
  const std::optional<std::string_view> host = head.headers.find("host");
  if (host && !is_literal_authority(*host))
    return fail(ErrorCode::kUnauthenticated,
                "Without admin.token the admin plane is asked by address, not by a name.");
  return {};
}

Result<void> check_change(const wire::RequestHead& head) {
  if (const auto origin = head.headers.find("origin"); origin && !is_loopback_origin(*origin))
    return fail(ErrorCode::kUnauthenticated, "Web pages may not change anything here.");
  const bool empty = head.framing.kind == wire::Framing::Kind::kLength && head.framing.length == 0;
  if (empty && !head.headers.find("content-type")) return {};  // an order without a body
  const std::string_view media =
      wire::media_type(head.headers.find("content-type").value_or(std::string_view()));
  if (wire::equals_ignore_case(media, "application/json") ||
      wire::equals_ignore_case(media, "application/merge-patch+json"))
    return {};
  return fail(ErrorCode::kUnsupportedMediaType, "A change is sent as application/json.");
}

}  // namespace penstock::admin
