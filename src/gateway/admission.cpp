#include "gateway/admission.h"

#include <atomic>
#include <optional>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "control/in_flight_limit.h"
#include "gateway/request_scope.h"
#include "gateway/worker.h"

namespace penstock::gateway {

Result<control::Slot> enter(RequestScope& scope) {
  Process& process = scope.worker.process;
  if (process.draining.load(std::memory_order_relaxed)) return fail(ErrorCode::kDraining);
  std::optional<control::Slot> slot = process.in_flight.enter();
  if (!slot) return fail(ErrorCode::kOverloaded, "The gateway serves as many requests as it may.");
  return *std::move(slot);
}

}  // namespace penstock::gateway
