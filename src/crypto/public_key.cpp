#include "crypto/public_key.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "base/assert.h"
#include "crypto/ecdsa_signature.h"
#include "crypto/roca.h"

namespace penstock::crypto {
namespace {

using enum SignatureAlgorithm;

template <auto Release>
struct Free {
  template <class T>
  void operator()(T* it) const noexcept {
    Release(it);
  }
};
using KeyPointer = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Free<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free<EVP_MD_CTX_free>>;
using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Free<OSSL_PARAM_BLD_free>>;
using Params = std::unique_ptr<OSSL_PARAM, Free<OSSL_PARAM_free>>;

enum class KeyKind : std::uint8_t { kRsa, kEc, kEd25519 };

constexpr std::uint64_t kExponentMin = 65537;
constexpr std::size_t kExponentBytesMax = 4;
constexpr std::size_t kEd25519Bytes = 32;

struct CurveInfo {
  const char* name;
  std::size_t bytes;  // of a coordinate, and of each half of a signature
  SignatureAlgorithm algorithm;
};

const CurveInfo& info(Curve curve) noexcept {
  static constexpr std::array<CurveInfo, 3> kCurves{
      {{"P-256", 32, kEs256}, {"P-384", 48, kEs384}, {"P-521", 66, kEs512}}};
  return kCurves[static_cast<std::size_t>(curve)];
}

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// What OpenSSL says of a failure is nobody's business here, and must not be taken for that of the
// next TLS operation of this thread.
struct ForgetErrors {
  ForgetErrors() = default;
  ForgetErrors(const ForgetErrors&) = delete;
  ForgetErrors& operator=(const ForgetErrors&) = delete;
  ~ForgetErrors() { ERR_clear_error(); }
};

KeyPointer make_key(const char* type, OSSL_PARAM* params) {
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  PENSTOCK_ASSERT(context != nullptr);
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
    return nullptr;
  return KeyPointer(key);
}

Number number_of(std::string_view bytes) {
  return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::string_view without_zeros(std::string_view bytes) noexcept {
  return bytes.substr(std::min(bytes.find_first_not_of('\0'), bytes.size()));
}

// The curve's order, big-endian, as long as one half of a signature.
std::string order_of(EVP_PKEY* key, std::size_t bytes) {
  BIGNUM* order = nullptr;
  const int found = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_ORDER, &order);
  PENSTOCK_ASSERT(found == 1);
  const Number owner(order);
  std::string text(bytes, '\0');
  const int written =
      BN_bn2binpad(order, reinterpret_cast<unsigned char*>(text.data()), static_cast<int>(bytes));
  PENSTOCK_ASSERT(written == static_cast<int>(bytes));
  return text;
}

// Fetched once: looking an algorithm up by name costs as much as a fast verification.
const EVP_MD* digest_of(SignatureAlgorithm algorithm) {
  static const std::array<const EVP_MD*, 3> kFetched{EVP_MD_fetch(nullptr, "SHA256", nullptr),
                                                     EVP_MD_fetch(nullptr, "SHA384", nullptr),
                                                     EVP_MD_fetch(nullptr, "SHA512", nullptr)};
  switch (algorithm) {
    case kRs256:
    case kPs256:
    case kEs256: return kFetched[0];
    case kRs384:
    case kPs384:
    case kEs384: return kFetched[1];
    case kRs512:
    case kPs512:
    case kEs512: return kFetched[2];
    case kEdDsa: return nullptr;
  }
  PENSTOCK_ASSERT(false);
}

bool is_pss(SignatureAlgorithm algorithm) noexcept {
  return algorithm == kPs256 || algorithm == kPs384 || algorithm == kPs512;
}

bool is_rsa(SignatureAlgorithm algorithm) noexcept {
  return is_pss(algorithm) || algorithm == kRs256 || algorithm == kRs384 || algorithm == kRs512;
}

}  // namespace

struct PublicKey::Impl {
  KeyPointer key;
  KeyKind kind = KeyKind::kRsa;
  SignatureAlgorithm algorithm = kEdDsa;  // of an EC or Ed25519 key
  std::size_t signature_bytes = 0;        // no other length is looked at
  std::string order{};                    // of an EC key
};

PublicKey::PublicKey(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
PublicKey::PublicKey(PublicKey&&) noexcept = default;
PublicKey& PublicKey::operator=(PublicKey&&) noexcept = default;
PublicKey::~PublicKey() = default;

std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, SignatureAlgorithm>, 10> kNames{
      {{"RS256", kRs256},
       {"RS384", kRs384},
       {"RS512", kRs512},
       {"PS256", kPs256},
       {"PS384", kPs384},
       {"PS512", kPs512},
       {"ES256", kEs256},
       {"ES384", kEs384},
       {"ES512", kEs512},
       {"EdDSA", kEdDsa}}};
  for (const auto& [word, algorithm] : kNames)
    if (word == name) return algorithm;
  return std::nullopt;
}

std::optional<PublicKey> PublicKey::rsa(std::string_view modulus, std::string_view exponent) {
  const ForgetErrors forget;
  modulus = without_zeros(modulus);
  exponent = without_zeros(exponent);
  if (modulus.empty() || modulus.size() > kRsaBitsMax / 8) return std::nullopt;
  if (exponent.empty() || exponent.size() > kExponentBytesMax) return std::nullopt;
  const Number n = number_of(modulus);
  const Number e = number_of(exponent);
  PENSTOCK_ASSERT(n != nullptr && e != nullptr);
  if (BN_num_bits(n.get()) < kRsaBitsMin || BN_is_odd(n.get()) == 0) return std::nullopt;
  if (is_roca_modulus(modulus)) return std::nullopt;
  if (BN_get_word(e.get()) < kExponentMin || BN_is_odd(e.get()) == 0) return std::nullopt;
  const Builder builder(OSSL_PARAM_BLD_new());
  PENSTOCK_ASSERT(builder != nullptr);
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  const Params params(OSSL_PARAM_BLD_to_param(builder.get()));
  PENSTOCK_ASSERT(params != nullptr);
  KeyPointer key = make_key("RSA", params.get());
  if (key == nullptr) return std::nullopt;
  return PublicKey(std::make_unique<Impl>(
      Impl{.key = std::move(key), .kind = KeyKind::kRsa, .signature_bytes = modulus.size()}));
}

std::optional<PublicKey> PublicKey::ec(Curve curve, std::string_view x, std::string_view y) {
  const ForgetErrors forget;
  const CurveInfo& its = info(curve);
  if (x.size() != its.bytes || y.size() != its.bytes) return std::nullopt;
  std::string point = "\x04";  // uncompressed (SEC 1 section 2.3.3)
  point.append(x).append(y);
  std::string group = its.name;
  const std::array<OSSL_PARAM, 3> params{
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  KeyPointer key = make_key("EC", const_cast<OSSL_PARAM*>(params.data()));
  if (key == nullptr) return std::nullopt;
  const KeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  if (context == nullptr || EVP_PKEY_public_check(context.get()) != 1) return std::nullopt;
  std::string order = order_of(key.get(), its.bytes);
  return PublicKey(std::make_unique<Impl>(Impl{.key = std::move(key),
                                               .kind = KeyKind::kEc,
                                               .algorithm = its.algorithm,
                                               .signature_bytes = 2 * its.bytes,
                                               .order = std::move(order)}));
}

std::optional<PublicKey> PublicKey::ed25519(std::string_view bytes) {
  const ForgetErrors forget;
  if (bytes.size() != kEd25519Bytes) return std::nullopt;
  KeyPointer key(
      EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, bytes_of(bytes), bytes.size()));
  if (key == nullptr) return std::nullopt;
  return PublicKey(std::make_unique<Impl>(Impl{.key = std::move(key),
                                               .kind = KeyKind::kEd25519,
                                               .algorithm = kEdDsa,
                                               .signature_bytes = 2 * kEd25519Bytes}));
}

bool PublicKey::allows(SignatureAlgorithm algorithm) const noexcept {
  if (impl_->kind == KeyKind::kRsa) return is_rsa(algorithm);
  return algorithm == impl_->algorithm;
}

bool PublicKey::verify(SignatureAlgorithm algorithm, std::string_view message,
                       std::string_view signature) const {
  if (!allows(algorithm) || signature.size() != impl_->signature_bytes) return false;
  const ForgetErrors forget;
  std::string der;
  if (impl_->kind == KeyKind::kEc) {
    std::optional<std::string> encoded = ecdsa_der(signature, impl_->order);
    if (!encoded) return false;
    der = *std::move(encoded);
    signature = der;
  }
  const DigestContext context(EVP_MD_CTX_new());
  PENSTOCK_ASSERT(context != nullptr);
  EVP_PKEY_CTX* settings = nullptr;  // the digest's context owns it
  if (EVP_DigestVerifyInit(context.get(), &settings, digest_of(algorithm), nullptr,
                           impl_->key.get()) != 1)
    return false;
  if (is_pss(algorithm) &&
      (EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) != 1))
    return false;
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace penstock::crypto
