#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

// Where requests for a model go: a public name first, else `provider/model` for a configured
// provider, which is then asked explicitly.
// provider: the one that the client insists on; of the model's places only those remain.
// result:   points into the snapshot.
// errors:   kModelNotFound, with the nearest public name as a hint.
[[nodiscard]] Result<Route> route_of(const Snapshot& snapshot, std::string_view model,
                                     std::optional<std::string_view> provider);

// Sets the scope's route from the model that the request names, and its header.
// errors: as above.
[[nodiscard]] Result<void> find_route(RequestScope& scope);

// The error for a model name that is none of ours.
[[nodiscard]] Error model_not_found(const Snapshot& snapshot, std::string_view model);

}  // namespace penstock::gateway
