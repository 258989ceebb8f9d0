#include "gateway/deadline.h"

#include "base/error_code.h"
#include "base/result.h"
#include "control/deadline.h"
#include "gateway/request_scope.h"
#include "wire/header_list.h"

namespace penstock::gateway {

Result<void> set_deadline(RequestScope& scope) {
  const wire::HeaderList& headers = scope.exchange.head().headers;
  const control::PatienceHeaders told{
      .request_timeout_ms = headers.find("x-request-timeout-ms"),
      .stainless_read_timeout = headers.find("x-stainless-read-timeout"),
      .stainless_timeout = headers.find("x-stainless-timeout"),
  };
  PENSTOCK_TRY(const control::Patience patience,
               control::patience(told, scope.kind(), scope.route.deadline()));
  scope.deadline = scope.started() + patience.total;
  if (patience.first_content)
    scope.first_content_deadline = scope.started() + *patience.first_content;
  if (scope.now() >= scope.patience_end()) return fail(ErrorCode::kDeadlineExceeded);
  return {};
}

}  // namespace penstock::gateway
