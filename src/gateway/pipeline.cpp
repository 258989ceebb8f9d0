#include "gateway/pipeline.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "dialect/openai/request.h"
#include "dialect/surface.h"
#include "gateway/admission.h"
#include "gateway/attempts.h"
#include "gateway/deadline.h"
#include "gateway/health_reply.h"
#include "gateway/identify.h"
#include "gateway/me_reply.h"
#include "gateway/models_reply.h"
#include "gateway/policy.h"
#include "gateway/quota.h"
#include "gateway/redaction.h"
#include "gateway/refusal.h"
#include "gateway/request_scope.h"
#include "gateway/routing.h"
#include "gateway/snapshot.h"
#include "gateway/surface_of.h"
#include "gateway/unlimited.h"
#include "net/exchange.h"
#include "telemetry/labels.h"

namespace penstock::gateway {

using runtime::Task;
using telemetry::RejectionStage;

Task<void> Pipeline::serve(net::Exchange& exchange) {
  if (is_health_path(exchange.head().target)) {
    const std::shared_ptr<const Snapshot> snapshot = worker_.snapshot;  // it may be replaced
    co_await reply_health(exchange, worker_.process, *snapshot, worker_.loop.clock().now());
    co_return;
  }
  RequestScope scope(worker_, exchange);  // owns deadline, ids, leases; its destructor settles
  Result<void> end = co_await guarded(scope);
  if (!end) co_await refuse_request(scope, std::move(end).error());  // the only place that renders
}

// The one catch of a request.
Task<Result<void>> Pipeline::guarded(RequestScope& scope) {
  try {
    co_return co_await run(scope);
  } catch (const std::exception& thrown) {
    worker_.metrics.uncaught_exceptions.at().add();
    Error error(ErrorCode::kInternal);
    error.detail = thrown.what();
    co_return fail(std::move(error));
  }
}

// Top to bottom: what a request goes through. Each stage rests on what an earlier one established;
// the cheap ones run before the body is read.
Task<Result<void>> Pipeline::run(RequestScope& scope) {
  scope.rejected_at = RejectionStage::kAdmit;
  if (scope.exchange.late()) co_return fail(ErrorCode::kDraining);
  scope.rejected_at = RejectionStage::kIdentify;
  std::optional<Result<Principal>> caller = identify(scope);
  if (!caller) caller = co_await identify_later(scope);  // its token's key may be on its way
  forget_credentials(scope);
  PENSTOCK_CO_TRY(scope.principal, *std::move(caller));
  scope.rejected_at = RejectionStage::kHead;
  PENSTOCK_CO_CHECK(find_surface(scope));
  scope.rejected_at = RejectionStage::kQuota;
  PENSTOCK_CO_TRY(const QuotaTurn turn, take_quota(scope));
  if (turn == QuotaTurn::kAsk) PENSTOCK_CO_CHECK(co_await ask_quota(scope));
  if (scope.surface == dialect::Surface::kMe) co_return co_await reply_me(scope);
  if (!takes_body(scope.surface)) co_return co_await reply_models(scope);
  PENSTOCK_CO_CHECK(co_await read_and_validate(scope));
  PENSTOCK_CO_CHECK(judge_policy(scope));
  scope.rejected_at = RejectionStage::kPolicy;
  PENSTOCK_CO_TRY(const RedactTurn redacted, redact_request(scope));
  if (redacted == RedactTurn::kLong) PENSTOCK_CO_CHECK(co_await redact_long_request(scope));
  scope.rejected_at = RejectionStage::kQuota;
  PENSTOCK_CO_CHECK(reserve_budget(scope));
  if (find_in_cache(scope)) co_return Result<void>();
  scope.rejected_at = RejectionStage::kAdmit;
  PENSTOCK_CO_CHECK(co_await admit(scope));
  scope.exchange.watch_client();
  scope.rejected_at = RejectionStage::kRoute;
  co_return co_await attempt_until_committed_or_out_of_options(scope);
}

Task<Result<void>> Pipeline::read_and_validate(RequestScope& scope) {
  scope.rejected_at = RejectionStage::kBody;
  PENSTOCK_CO_CHECK(check_media_type(scope.exchange.head().headers));
  const Snapshot& snapshot = *scope.snapshot;
  PENSTOCK_CO_TRY(const Duration patience, body_patience(scope));
  const net::BodyLimits limits{
      worker_.process.body_memory,
      static_cast<std::size_t>(snapshot.limits.body_bytes.value),
      patience,
  };
  const TimePoint before = scope.now();
  Result<std::string_view> body = co_await scope.exchange.read_body(limits);
  scope.waited += scope.now() - before;
  const bool late = !body && body.error().code == ErrorCode::kRequestTimeout;
  if (late && patience < snapshot.body_wait) co_return fail(ErrorCode::kDeadlineExceeded);
  PENSTOCK_CO_TRY(scope.body, std::move(body));
  scope.rejected_at = RejectionStage::kValidate;
  PENSTOCK_CO_TRY(scope.request, dialect::openai::read_request(scope.body, scope.surface));
  scope.rejected_at = RejectionStage::kRoute;
  PENSTOCK_CO_CHECK(find_route(scope));
  scope.rejected_at = RejectionStage::kValidate;
  co_return set_deadline(scope);
}

// A head that could not be read has no caller and no stage: it is answered, counted and logged.
Task<void> Pipeline::refuse(net::Exchange& exchange, Error error) {
  RequestScope scope(worker_, exchange);
  scope.rejected_at = RejectionStage::kHead;
  co_await refuse_request(scope, std::move(error));
}

}  // namespace penstock::gateway
