#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crypto/public_key.h"
#include "crypto/sha256.h"

namespace penstock::identity {

// One key of an identity provider, and what it may be used for.
struct VerificationKey {
  std::optional<std::string> kid;
  std::optional<crypto::SignatureAlgorithm> algorithm;  // pinned; nullopt: any that its kind allows
  crypto::PublicKey key;
  crypto::Sha256Digest fingerprint{};  // over everything above: another key has another one

  [[nodiscard]] bool allows(crypto::SignatureAlgorithm wanted) const noexcept {
    return algorithm ? *algorithm == wanted : key.allows(wanted);
  }
};

// The keys that an identity provider publishes (JWK set, RFC 7517). Immutable; any thread may ask.
class KeySet {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{256} << 10;
  static constexpr std::size_t kKeysMax = 64;  // listed, usable or not

  // Keys that must not verify tokens are left out: for encryption (`use`, `key_ops`), symmetric
  // (`oct`), of an unknown kind, weak, malformed, with an `alg` that is none of ours or of another
  // kind, with their private half, or with the kid and algorithm of one before them.
  //
  // errors: kUpstreamBadResponse, its detail for operators: too long, not a JWK set, more than
  //         kKeysMax keys, or none that can be used.
  [[nodiscard]] static Result<KeySet> parse(std::string_view text);

  // The key that a token with this kid and algorithm must be signed with. Without a kid: the only
  // key there is for that algorithm. Null: there is none.
  [[nodiscard]] const VerificationKey* find(const std::optional<std::string>& kid,
                                            crypto::SignatureAlgorithm algorithm) const noexcept;
  // Whether any key has that kid. Where one has, fetching the set again would not help.
  [[nodiscard]] bool knows(std::string_view kid) const noexcept;
  // Whether a key with this fingerprint is in the set.
  [[nodiscard]] bool holds(const crypto::Sha256Digest& fingerprint) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

 private:
  void add(std::string_view jwk);

  std::vector<VerificationKey> keys_;
  std::size_t left_out_ = 0;
};

}  // namespace penstock::identity
