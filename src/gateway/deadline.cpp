#include "gateway/deadline.h"

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/call_kind.h"
#include "control/deadline.h"
#include "gateway/request_scope.h"
#include "wire/header_list.h"

namespace penstock::gateway {

namespace {

control::PatienceHeaders told(const RequestScope& scope) {
  const wire::HeaderList& headers = scope.exchange.head().headers;
  return {
      .request_timeout_ms = headers.find("x-request-timeout-ms"),
      .stainless_read_timeout = headers.find("x-stainless-read-timeout"),
      .stainless_timeout = headers.find("x-stainless-timeout"),
  };
}

}  // namespace

Result<Duration> body_patience(const RequestScope& scope) {
  // Until it is known whether the reply is a stream, a hint bounds what comes first either way.
  PENSTOCK_TRY(
      const control::Patience patience,
      control::patience(told(scope), control::CallKind::kUnary, scope.snapshot->body_wait));
  return patience.total;
}

Result<void> set_deadline(RequestScope& scope) {
  PENSTOCK_TRY(const control::Patience patience,
               control::patience(told(scope), scope.kind(), scope.route.deadline()));
  scope.deadline = scope.started() + patience.total;
  scope.exchange.end_writes_behind(scope.deadline);
  if (patience.first_content)
    scope.first_content_deadline = scope.started() + *patience.first_content;
  if (scope.now() >= scope.patience_end()) return fail(ErrorCode::kDeadlineExceeded);
  return {};
}

}  // namespace penstock::gateway
