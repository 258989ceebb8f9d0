#include "gateway/audit.h"

#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/worker.h"
#include "telemetry/audit_log.h"

namespace penstock::gateway {
namespace {

constexpr std::string_view kChoice = "explicit_provider";

// The provider that the client asked for, whether it may have it or not.
std::string_view chosen(const RequestScope& scope) {
  if (scope.route.chosen_by != Route::ChosenBy::kClient || scope.route.targets().empty()) return {};
  return scope.snapshot->providers[scope.route.targets().front().provider].name;
}

void write(RequestScope& scope, telemetry::AuditRecord record) {
  record.at = scope.worker.loop.clock().wall();
  record.tenant = scope.principal.tenant;
  record.workload = scope.principal.workload;
  record.key_id = scope.principal.key_id;
  record.request_id = scope.request_id;
  record.provider = chosen(scope);
  record.model = scope.model_name();
  scope.worker.log_line.clear();
  telemetry::append_line(scope.worker.log_line, record);
  scope.worker.audit_log.write(scope.worker.log_line);
}

std::string_view rule_of(ErrorCode code) noexcept {
  if (code == ErrorCode::kKeyDisabled) return "key";
  return code == ErrorCode::kContentBlocked ? "redact" : info(code).name;
}

// Whether a refusal with this code is a decision about a known caller that somebody may have to
// answer for. Strangers and spent allowances are counted, not audited: their number is up to them.
bool is_decision(ErrorCode code) noexcept {
  if (info(code).source != ErrorSource::kPolicy) return false;
  return code != ErrorCode::kUnauthenticated && code != ErrorCode::kRateLimitExceeded &&
         code != ErrorCode::kInsufficientQuota;
}

}  // namespace

void audit_refusal(RequestScope& scope, const Error& error) {
  if (scope.refused_by.empty() && !is_decision(error.code)) {
    if (scope.attempts == 0 && !chosen(scope).empty())
      write(scope, {.rule = kChoice, .action = "choose", .code = error.code});
    return;
  }
  write(scope, {.rule = scope.refused_by.empty() ? rule_of(error.code) : scope.refused_by,
                .action = "refuse",
                .code = error.code});
}

void audit_choice(RequestScope& scope) { write(scope, {.rule = kChoice, .action = "choose"}); }

}  // namespace penstock::gateway
