#include "gateway/own_ceilings.h"

#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "control/priority.h"
#include "gateway/caller_limits.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

OwnCeilings own_ceilings(const RequestScope& scope) noexcept {
  OwnCeilings found;
  const auto add = [&](const CallerLimits& limits, control::Priority as, std::string_view whose) {
    if (limits.in_flight) found.all[found.count++] = {&limits, as, whose};
  };
  const Caller& caller = scope.caller;
  if (caller.workload != nullptr)
    add(caller.workload->limits, control::Priority::kInteractive, "workload");
  if (caller.tenant != nullptr) add(caller.tenant->limits, scope.priority, "tenant");
  return found;
}

Error ceiling_reached(std::string_view whose) {
  return {ErrorCode::kOverloaded, fmt::format("The {} has as many requests as it may.", whose)};
}

}  // namespace penstock::gateway
