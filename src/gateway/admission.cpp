#include "gateway/admission.h"

#include <optional>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "control/in_flight_limit.h"
#include "gateway/attempt_error.h"
#include "gateway/request_scope.h"
#include "gateway/worker.h"

namespace penstock::gateway {

Result<control::Slot> enter(RequestScope& scope) {
  if (scope.exchange.cancellation().requested()) return fail(stopped());
  std::optional<control::Slot> slot = scope.worker.process.in_flight.enter();
  if (!slot) return fail(ErrorCode::kOverloaded, "The gateway serves as many requests as it may.");
  return *std::move(slot);
}

}  // namespace penstock::gateway
