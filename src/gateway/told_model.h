#pragma once

#include <optional>
#include <string>

#include "gateway/request_scope.h"

namespace penstock::gateway {

// What logs say instead of the model's name, which is none of ours and so the client's to make up:
// where its requests are looked through, a name with an identifier in it has that masked, whatever
// becomes of the request; one too long to be looked through here is not told. nullopt: the name.
//
// cost: one pass over the name, which is told up to 256 bytes.
[[nodiscard]] std::optional<std::string> told_model(const RequestScope& scope);

}  // namespace penstock::gateway
