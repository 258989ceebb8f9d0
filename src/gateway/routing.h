#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "gateway/request_scope.h"

namespace penstock::gateway {

// Sets the scope's route from the model that the request names: a public name first, else
// `provider/model` for a configured provider, which is then asked explicitly.
// errors: kModelNotFound, with the nearest public name as a hint.
[[nodiscard]] Result<void> find_route(RequestScope& scope);

// The error for a model name that is none of ours.
[[nodiscard]] Error model_not_found(const Snapshot& snapshot, std::string_view model);

}  // namespace penstock::gateway
