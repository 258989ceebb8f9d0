#include "gateway/reply_head.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.h"
#include "gateway/passed_fields.h"
#include "gateway/quota.h"
#include "gateway/redaction.h"
#include "gateway/request_scope.h"
#include "identity/auth_config.h"
#include "policy/redact_config.h"
#include "wire/head_writer.h"
#include "wire/header_list.h"
#include "wire/response_head.h"

namespace penstock::gateway {
namespace {

// The provider says these of itself; the client is told by us or must not be told.
constexpr std::array<std::string_view, 8> kOurs{
    "x-request-id", "x-should-retry",      "set-cookie",     "alt-svc",
    "nel",          "openai-organization", "openai-project", "strict-transport-security"};

// Limits of the account that all callers share; `x-ratelimit-*` is for the caller's own.
bool is_account_limit(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "x-ratelimit-";
  return name.size() > kPrefix.size() &&
         wire::equals_ignore_case(name.substr(0, kPrefix.size()), kPrefix);
}

}  // namespace

void append_own_fields(std::string& head, const RequestScope& scope, Told told) {
  wire::append_header(head, "x-request-id", scope.request_id);
  if (scope.snapshot->auth == identity::AuthMode::kDev)
    wire::append_header(head, "x-penstock-mode", "dev");
  if (scope.quota_degraded) wire::append_header(head, "x-penstock-degraded", "quota");
  if (!scope.clamped.empty()) wire::append_header(head, "x-penstock-clamped", scope.clamped);
  append_rate_fields(head, scope);
  if (told == Told::kNothing || scope.provider == nullptr) return;
  wire::append_header(head, "x-penstock-provider", scope.provider->name);
  if (scope.replica != nullptr)
    wire::append_header(head, "x-penstock-replica", scope.replica->name);
  if (scope.target != nullptr) wire::append_header(head, "x-penstock-model", scope.target->model);
  wire::append_header(head, "x-penstock-attempts", scope.attempts);
  const Duration own = std::max(scope.now() - scope.started() - scope.waited, Duration::zero());
  wire::append_header(
      head, "x-penstock-overhead-us",
      static_cast<std::uint64_t>(std::chrono::floor<std::chrono::microseconds>(own).count()));
}

std::string relayed_head(const RequestScope& scope, const wire::ResponseHead& reply) {
  std::string head;
  head.reserve(1024);
  wire::append_status_line(head, reply.status);
  const PassedFields passed(reply.headers);
  for (const wire::Header& field : reply.headers) {
    if (!passed.end_to_end(field.name) || is_internal(field.name)) continue;
    if (is_account_limit(field.name)) continue;
    if (wire::is_one_of(field.name, kOurs)) continue;
    if (withholds(scope, policy::Direction::kResponse, field)) continue;
    wire::append_header(head, field.name, field.value);
  }
  append_own_fields(head, scope, Told::kRoute);
  return head;
}

std::string stream_head(const RequestScope& scope) {
  std::string head;
  wire::append_status_line(head, 200);
  wire::append_header(head, "content-type", "text/event-stream");
  wire::append_header(head, "cache-control", "no-cache");
  append_own_fields(head, scope, Told::kNothing);
  return head;
}

}  // namespace penstock::gateway
