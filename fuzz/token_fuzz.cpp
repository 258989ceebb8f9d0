// rooms: identity json crypto base
// A credential as a stranger sends it: read, and judged by a key set that has a key for every
// algorithm. Nothing is ever accepted, for nobody signs here; what is read must be written in one
// way only.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/base64url.h"
#include "identity/claims.h"
#include "identity/key_set.h"
#include "identity/token.h"
#include "identity/verify_token.h"
#include "json/reader.h"

namespace {

using namespace penstock;            // NOLINT(google-build-using-namespace): a program of one file
using namespace penstock::identity;  // NOLINT(google-build-using-namespace)

// One of each kind, without alg. The private halves were thrown away, but for the first, whose 32
// bytes are all 7.
constexpr std::string_view kKeys =
    R"({"keys":[{"kty":"OKP","crv":"Ed25519","kid":"one",)"
    R"("x":"6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw"},)"
    R"({"kty":"EC","crv":"P-256","kid":"two",)"
    R"("x":"sCygzhc3cHf14sY1HQwcVweerzC0eJwNsHEgEjpv9uk",)"
    R"("y":"nDEtmGkeCrUWGCkxkCdWk8otQgnnILSlrHYu1DJ-sPo"},)"
    R"({"kty":"RSA","kid":"three","e":"AQAB","n":")"
    "_iPDs59mfDaAsym4ZNupN-btpQF2V4epNIB2rjHaAAQAgFJOjyIiJ9g3ZFzOz2E2tV6tctzEc0iZdgTJ"
    "HyrypFLmRtnLQFP5LLMu-2244caBjw9tWsEFpJOJPZIhgjBTIHGo_c-d_Op75mEJQ6MmVD7Lq1LgQ3iz"
    "JgvQW8ihncq0z-i76qUxybWmbfUSaXq8Bs4TbJ2JuCcMbD4GGx-i6kCNaNQEIJSsMfMJK7r23lsVF_M0"
    "ycMfuDClH9QCD-QuNbAPfso4nwvdlg1NfSxEn9nF1CI0fPoOuAL7gz_wZzk8mwkInr0QFUiW3M80umLZ"
    "vKmULICxxUO4L0BMjW7wcQ"
    R"("}]})";

const KeySet& keys() {
  static const KeySet kSet = [] {
    KeySet set = KeySet::parse(kKeys).value();
    PENSTOCK_ASSERT(set.size() == 3);
    return set;
  }();
  return kSet;
}

const TokenRules& rules() {
  static const TokenRules kRules{.issuer = "i",
                                 .audience = "penstock",
                                 .tenant_claim = "tenant",
                                 .workload_claim = "workload",
                                 .tier_claim = "tier"};
  return kRules;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr WallTime kNow{std::chrono::seconds(1'735'689'600)};
  const Result<Token> token = read_token(text);
  if (token) {
    PENSTOCK_ASSERT(size <= kTokenBytesMax);
    PENSTOCK_ASSERT(!token->kid || is_kid(*token->kid));
    const std::string again =
        std::string(token->signed_part) + "." + crypto::base64url_encode(token->signature);
    PENSTOCK_ASSERT(again == text);
    PENSTOCK_ASSERT(token->signed_part.ends_with(crypto::base64url_encode(token->payload)));
    const auto verdict = verify_token(*token, keys(), rules(), kNow);
    // The corpus holds one good token, which must not be varied into another one.
    PENSTOCK_ASSERT(!verdict || !*verdict || (**verdict).claims.tenant == "acme");
  }
  // What a signer puts into a payload: whatever is believed is a name, and good at that time.
  const Result<Claims> claims = read_claims(text, rules(), kNow);
  if (claims) {
    PENSTOCK_ASSERT(json::valid(text));
    PENSTOCK_ASSERT(claims->good_at(kNow) && !claims->tenant.empty());
    PENSTOCK_ASSERT(claims->tenant.find_first_of("\r\n\"\\ ") == std::string::npos);
  }
  return 0;
}
