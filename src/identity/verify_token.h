#pragma once

#include <optional>

#include "base/result.h"
#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/claims.h"
#include "identity/key_set.h"
#include "identity/token.h"

namespace penstock::identity {

// A token that may be believed.
struct VerifiedToken {
  Claims claims;
  crypto::Sha256Digest key{};  // the fingerprint of the one that signed it
};

// Verifies a token: its key is in the set and is for this algorithm, the signature is right, and
// the claims are what the rules and the time ask for; in this order.
//
// result: nullopt: the token names a key that is not in the set, and another set may have it.
// errors: kUnauthenticated. Never any part of the token.
// cost:   that of the signature: see crypto::PublicKey::verify.
[[nodiscard]] std::optional<Result<VerifiedToken>> verify_token(const Token& token,
                                                                const KeySet& keys,
                                                                const TokenRules& rules,
                                                                WallTime now);

}  // namespace penstock::identity
