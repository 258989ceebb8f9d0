#include "gateway/reply_head.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

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
    const FieldName name(field.name);
    if (!passed.end_to_end(name) || is_providers_own(name)) continue;
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
