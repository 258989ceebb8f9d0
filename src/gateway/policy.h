#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "gateway/access.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"

// What a caller's workload and tier may ask for: docs/reference/policy.md.
namespace penstock::gateway {

// Judges a request by the rules of its caller, the cheap ones first: label, model, provider, tools,
// output, system prompt. Leaves of the scope's route what the caller may use, and in its `imposed`
// what every attempt must say. Whatever a rule cannot read for certain is refused.
//
// errors: kLabelRequired, kModelNotAllowed, kProviderNotAllowed, kToolsNotAllowed; kInvalidRequest
//         with `param` for an output over the ceiling, and for members that a provider could read
//         otherwise than we do. The scope's `refused_by` then names the rule.
[[nodiscard]] Result<void> judge_policy(RequestScope& scope);

// The part about the model alone, of a route that has one.
[[nodiscard]] Result<void> judge_model(RequestScope& scope);

// Why a route is closed to a caller.
struct RouteRefusal {
  Error error;
  Barred by = Barred::kNo;
};

// Whether a caller may take a route, which then loses the places that are barred to it.
// asked: the model's name as the client sent it.
[[nodiscard]] std::optional<RouteRefusal> judge_route(Route& route, std::string_view asked,
                                                      const Access& access);

}  // namespace penstock::gateway
