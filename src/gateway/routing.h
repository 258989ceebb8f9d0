#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gateway/access.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

// Where requests for a model go: a public name first, else `provider/model` for a configured
// provider, which is then asked explicitly.
// provider: the one that the client insists on; of the model's places only those remain.
// access:   whose names are told in hints.
// result:   points into the snapshot. The caller's rules have not been asked: see judge_route().
// errors:   kModelNotFound, with the nearest public name as a hint.
[[nodiscard]] Result<Route> route_of(const Snapshot& snapshot, std::string_view model,
                                     std::optional<std::string_view> provider,
                                     const Access& access);

// Sets the scope's route from the model that the request names, and its header.
// errors: as above; kModelNotAllowed for a model of ours that the caller may not use anyway, so
//         that it is not told which providers serve it; kInvalidRequest for several headers.
[[nodiscard]] Result<void> find_route(RequestScope& scope);

// The error for a model name that is none of ours.
[[nodiscard]] Error model_not_found(std::string_view model, const Access& access);

}  // namespace penstock::gateway
