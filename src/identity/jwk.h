#pragma once

#include <optional>
#include <string_view>

#include "identity/key_set.h"

namespace penstock::identity {

// Reads one JWK (RFC 7517, RFC 7518 section 6, RFC 8037). nullopt for every key that must not
// verify tokens: see KeySet::parse.
[[nodiscard]] std::optional<VerificationKey> read_jwk(std::string_view text);

}  // namespace penstock::identity
