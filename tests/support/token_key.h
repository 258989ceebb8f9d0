#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace penstock::test {

enum class KeyType : std::uint8_t { kRsa1024, kRsa2048, kP256, kP384, kP521, kEd25519 };

// A private key, made anew, that signs tokens as an identity provider does, or as a forger would.
class TokenKey {
 public:
  TokenKey(KeyType type, std::string kid);
  TokenKey(TokenKey&&) noexcept;
  ~TokenKey();

  [[nodiscard]] const std::string& kid() const noexcept { return kid_; }
  // The algorithm that one uses with such a key: RS256, ES256, ES384, ES512, EdDSA.
  [[nodiscard]] std::string usual_algorithm() const;

  // The members of a JWK that are the key itself: kty, n and e, or crv, x and y.
  [[nodiscard]] std::string parts() const;
  // A whole JWK with this kid, and more members behind it, such as R"("alg":"RS256","use":"sig")".
  [[nodiscard]] std::string jwk(std::string_view more = "") const;

  // A JWS signature over the message with a name of RFC 7518; ECDSA as r || s.
  [[nodiscard]] std::string sign(std::string_view algorithm, std::string_view message) const;
  // The same of PS256, PS384 or PS512 with a salt of another length than the digest's.
  [[nodiscard]] std::string sign_salted(std::string_view algorithm, std::string_view message,
                                        int salt_bytes) const;
  // The same with the key's usual digest, ECDSA as DER, which JWS does not use.
  [[nodiscard]] std::string sign_der(std::string_view message) const;
  // A token of these texts. algorithm: how to sign; empty: as usual.
  [[nodiscard]] std::string token(std::string_view header, std::string_view payload,
                                  std::string_view algorithm = "") const;

  // The public key, as a confused verifier would take it for an HMAC's secret.
  [[nodiscard]] std::string public_pem() const;
  [[nodiscard]] std::string public_der() const;
  [[nodiscard]] std::string modulus() const;  // of an RSA key

 private:
  struct Impl;
  KeyType type_;
  std::string kid_;
  std::unique_ptr<Impl> impl_;
};

// HMAC with a digest of that many bits: 256, 384, 512.
[[nodiscard]] std::string hmac(int bits, std::string_view secret, std::string_view message);

// base64url(header) "." base64url(payload): what a token's signature is of.
[[nodiscard]] std::string signing_input(std::string_view header, std::string_view payload);

}  // namespace penstock::test
