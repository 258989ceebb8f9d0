#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

// Signatures of others, checked. A thin layer over OpenSSL's EVP: which algorithm a key may be used
// with is decided here, not by whoever asks.
namespace penstock::crypto {

// The asymmetric algorithms of RFC 7518 section 3.1 and RFC 8037. There is no `none` and no HMAC.
enum class SignatureAlgorithm : std::uint8_t {
  kRs256,
  kRs384,
  kRs512,
  kPs256,
  kPs384,
  kPs512,
  kEs256,
  kEs384,
  kEs512,
  kEdDsa,
};

// By the name in a JOSE header, compared byte for byte; nullopt for any other.
[[nodiscard]] std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name) noexcept;

enum class Curve : std::uint8_t { kP256, kP384, kP521 };

// A public key. Immutable; any thread may verify with it at the same time.
class PublicKey {
 public:
  // Below: a modulus can be factored. Above: one verification takes more than a millisecond.
  static constexpr int kRsaBitsMin = 2048;
  static constexpr int kRsaBitsMax = 8192;

  // Each returns nullopt when the parts are no key that may be trusted.
  //
  // An odd modulus of kRsaBitsMin to kRsaBitsMax bits that is not known to be factored easily
  // (roca.h), and an odd exponent from 65537 (FIPS 186-5 section 5.1) to 32 bits. Both big-endian.
  [[nodiscard]] static std::optional<PublicKey> rsa(std::string_view modulus,
                                                    std::string_view exponent);
  // A point on the curve; both coordinates exactly as long as the curve's field.
  [[nodiscard]] static std::optional<PublicKey> ec(Curve curve, std::string_view x,
                                                   std::string_view y);
  // 32 bytes of Ed25519 (RFC 8032).
  [[nodiscard]] static std::optional<PublicKey> ed25519(std::string_view bytes);

  PublicKey(PublicKey&&) noexcept;
  PublicKey& operator=(PublicKey&&) noexcept;
  ~PublicKey();

  // Whether this kind of key has that algorithm: RS* and PS* for RSA, the one ES* of its curve,
  // EdDSA for Ed25519.
  [[nodiscard]] bool allows(SignatureAlgorithm algorithm) const noexcept;

  // Whether `signature` is one of `message`. False for an algorithm that the key does not allow,
  // and for a signature that has not exactly the key's length: an ECDSA signature is r || s, each
  // as long as the curve's order and within it (RFC 7518 section 3.4), never DER.
  // cost: on one core of 2020 about 30 µs (RSA 2048, Ed25519, P-256), 0.7 ms (P-384).
  [[nodiscard]] bool verify(SignatureAlgorithm algorithm, std::string_view message,
                            std::string_view signature) const;

 private:
  struct Impl;
  explicit PublicKey(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::crypto
