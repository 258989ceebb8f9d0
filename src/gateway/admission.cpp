#include "gateway/admission.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/ceilings.h"
#include "gateway/attempt_error.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/waiting_room.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "telemetry/labels.h"

namespace penstock::gateway {
namespace {

using runtime::Task;

Error full(std::string_view whose) {
  return {ErrorCode::kOverloaded, fmt::format("The {} has as many requests as it may.", whose)};
}

// The caller's own ceilings. They are not waited for, and a request that waits for the process's
// counts under them.
Result<void> enter_own(RequestScope& scope) {
  control::Ceilings ceilings;
  std::array<std::string_view, control::Slots::kSlotsMax> whose{};
  std::size_t count = 0;
  const auto add = [&](const CallerLimits& limits, control::Shares shares, std::string_view name) {
    if (!limits.in_flight) return;
    ceilings.add(limits.state->in_flight, shares);
    whose[count++] = name;
  };
  const Caller& caller = scope.caller;
  if (caller.workload != nullptr) add(caller.workload->limits, control::Shares::kNone, "workload");
  if (caller.tenant != nullptr) add(caller.tenant->limits, control::Shares::kByPriority, "tenant");
  if (count == 0) return {};
  control::Entrance entrance = ceilings.enter(scope.priority);
  if (!entrance.slots) return fail(full(whose[entrance.refused_by]));
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
    case WaitEnd::kReplaced: co_return fail(full("gateway"));
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
  PENSTOCK_CO_CHECK(enter_own(scope));
  if (std::optional<ProcessSlot> slot =
          process.waiting_room.enter(scope.worker.loop.clock(), scope.priority)) {
    scope.slot = *std::move(slot);
    co_return Result<void>();
  }
  Result<void> waited = fail(full("gateway"));
  if (process.waiting_room.places() != 0) waited = co_await wait_for_slot(scope);
  if (!waited) scope.caller_slots = control::Slots();
  co_return waited;
}

}  // namespace penstock::gateway
