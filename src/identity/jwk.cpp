#include "identity/jwk.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crypto/base64url.h"
#include "crypto/public_key.h"
#include "crypto/sha256.h"
#include "identity/key_set.h"
#include "identity/object_members.h"
#include "identity/token.h"

namespace penstock::identity {
namespace {

using Member = ObjectMembers::Member;

// The bytes of a member; empty when it is absent or not base64url, which no key accepts.
std::string bytes(const ObjectMembers& jwk, std::string_view name) {
  const std::optional<std::string> encoded = text_of(jwk, name);
  return (encoded ? crypto::base64url_decode(*encoded) : std::nullopt).value_or(std::string());
}

// RFC 7517 section 4.3: what the key is for, where it says so.
bool may_verify(const Member* operations) {
  return operations == nullptr || lists_text(*operations, "verify");
}

bool is_for_tokens(const ObjectMembers& jwk) {
  if (jwk.find("use") != nullptr && text_of(jwk, "use") != "sig") return false;
  if (jwk.find("d") != nullptr) return false;  // whoever can read the set can sign
  return may_verify(jwk.find("key_ops"));
}

std::optional<crypto::PublicKey> ec_key(const ObjectMembers& jwk, const std::string& curve) {
  using crypto::Curve;
  constexpr std::array<std::pair<std::string_view, Curve>, 3> kCurves{
      {{"P-256", Curve::kP256}, {"P-384", Curve::kP384}, {"P-521", Curve::kP521}}};
  for (const auto& [name, its] : kCurves)
    if (name == curve) return crypto::PublicKey::ec(its, bytes(jwk, "x"), bytes(jwk, "y"));
  return std::nullopt;
}

std::optional<crypto::PublicKey> public_key(const ObjectMembers& jwk) {
  const std::optional<std::string> type = text_of(jwk, "kty");
  const std::string curve = text_of(jwk, "crv").value_or(std::string());
  if (type == "RSA") return crypto::PublicKey::rsa(bytes(jwk, "n"), bytes(jwk, "e"));
  if (type == "EC") return ec_key(jwk, curve);
  if (type == "OKP" && curve == "Ed25519") return crypto::PublicKey::ed25519(bytes(jwk, "x"));
  return std::nullopt;
}

// Over the members that make the key what it is, each with its length so that none runs into the
// next.
crypto::Sha256Digest fingerprint(const ObjectMembers& jwk) {
  std::string all;
  for (const std::string_view name : {"kid", "alg", "kty", "crv", "n", "e", "x", "y"}) {
    const Member* const member = jwk.find(name);
    const std::string value = member != nullptr ? std::string(member->value) : std::string();
    all += std::to_string(value.size()) + ':' + value;
  }
  return crypto::sha256(all);
}

}  // namespace

std::optional<VerificationKey> read_jwk(std::string_view jwk_text) {
  const std::optional<ObjectMembers> jwk = ObjectMembers::read(jwk_text);
  if (!jwk || !is_for_tokens(*jwk)) return std::nullopt;
  std::optional<crypto::SignatureAlgorithm> algorithm;
  if (jwk->find("alg") != nullptr) {
    const std::optional<std::string> name = text_of(*jwk, "alg");
    algorithm = name ? crypto::signature_algorithm(*name) : std::nullopt;
    if (!algorithm) return std::nullopt;
  }
  std::optional<std::string> kid = text_of(*jwk, "kid");
  if (jwk->find("kid") != nullptr && (!kid || !is_kid(*kid))) return std::nullopt;
  std::optional<crypto::PublicKey> key = public_key(*jwk);
  if (!key || (algorithm && !key->allows(*algorithm))) return std::nullopt;
  return VerificationKey{.kid = std::move(kid),
                         .algorithm = algorithm,
                         .key = *std::move(key),
                         .fingerprint = fingerprint(*jwk)};
}

}  // namespace penstock::identity
