#include "gateway/admission.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/ceilings.h"
#include "gateway/attempt_error.h"
#include "gateway/caller_limits.h"
#include "gateway/own_ceilings.h"
#include "gateway/request_scope.h"
#include "gateway/shared_admission.h"
#include "gateway/token_quota.h"
#include "gateway/waiting_room.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "telemetry/labels.h"

namespace penstock::gateway {
namespace {

using runtime::Task;

// The caller's own ceilings and tokens, counted in this process. The ceilings are not waited for,
// and a request that waits for the process's counts under them.
Result<void> enter_own(RequestScope& scope) {
  const OwnCeilings own = own_ceilings(scope);
  control::Ceilings ceilings;
  for (std::size_t i = 0; i < own.count; ++i)
    ceilings.add(own.all[i].limits->state->in_flight, own.all[i].as);
  control::Entrance entrance = ceilings.enter();
  if (!entrance.slots) return fail(ceiling_reached(own.all[entrance.refused_by].whose));
  PENSTOCK_CHECK(take_tokens(scope));
  scope.caller_slots = *std::move(entrance.slots);
  return {};
}

// scope.tenant is the index of a name: beyond LabelNames::kNamesMax tenants share a turn.
Task<Result<void>> wait_for_slot(RequestScope& scope) {
  scope.exchange.watch_client();
  const TimePoint patience = scope.now() + scope.snapshot->admission.queue_wait;
  const WaitingRoom::Guest guest{.tenant = scope.tenant.index,
                                 .priority = scope.priority,
                                 .until = std::min(patience, scope.patience_end())};
  WaitingRoom& room = scope.worker.process.waiting_room;
  Waited waited = co_await room.wait(scope.worker.loop, scope.exchange.cancellation(), guest);
  if (waited.end != WaitEnd::kNoPlace)
    scope.worker.metrics.queue_wait.at(telemetry::Scope::kProcess).observe(waited.waited);
  scope.waited += waited.waited;
  scope.queued += waited.waited;
  switch (waited.end) {
    case WaitEnd::kSlot: scope.slot = std::move(waited.slot); co_return Result<void>();
    case WaitEnd::kNoPlace:
    case WaitEnd::kReplaced: co_return fail(ceiling_reached("gateway"));
    case WaitEnd::kTime:
      if (scope.patience_end() <= patience) co_return fail(ErrorCode::kDeadlineExceeded);
      co_return fail(ErrorCode::kOverloaded, "No place came free in time.");
    case WaitEnd::kStopped: co_return fail(stopped());
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace

Task<Result<void>> admit(RequestScope& scope) {
  Process& process = scope.worker.process;
  if (scope.exchange.cancellation().requested()) co_return fail(stopped());
  Result<void> entered;
  if (scope.worker.quotas == nullptr)
    entered = enter_own(scope);
  else
    entered = co_await enter_shared(scope);
  if (!entered) {
    // Tokens over time are a quota, though they are held from here on.
    if (entered.error().code == ErrorCode::kRateLimitExceeded)
      scope.rejected_at = telemetry::RejectionStage::kQuota;
    co_return entered;
  }
  if (std::optional<ProcessSlot> slot =
          process.waiting_room.enter(scope.worker.loop.clock(), scope.priority)) {
    scope.slot = *std::move(slot);
    co_return Result<void>();
  }
  Result<void> waited = fail(ceiling_reached("gateway"));
  if (process.waiting_room.places() != 0) waited = co_await wait_for_slot(scope);
  if (!waited) {
    scope.caller_slots = control::Slots();
    settle_tokens(scope);
  }
  co_return waited;
}

}  // namespace penstock::gateway
