#include "identity/verify_token.h"

#include <optional>
#include <utility>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "identity/claims.h"
#include "identity/key_set.h"
#include "identity/token.h"

namespace penstock::identity {

std::optional<Result<VerifiedToken>> verify_token(const Token& token, const KeySet& keys,
                                                  const TokenRules& rules, WallTime now) {
  const VerificationKey* const key = keys.find(token.kid, token.algorithm);
  if (key == nullptr && token.kid && !keys.knows(*token.kid)) return std::nullopt;
  if (key == nullptr)
    return fail(ErrorCode::kUnauthenticated, "No key of the issuer is for a token like this one.");
  if (!key->key.verify(token.algorithm, token.signed_part, token.signature))
    return fail(ErrorCode::kUnauthenticated, "The token's signature is wrong.");
  Result<Claims> claims = read_claims(token.payload, rules, now);
  if (!claims) return fail(std::move(claims).error());
  return VerifiedToken{.claims = *std::move(claims), .key = key->fingerprint};
}

}  // namespace penstock::identity
