#include "tests/support/token_key.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "crypto/base64url.h"

namespace penstock::test {
namespace {

void must(int fine) {
  if (fine == 0) std::abort();
}

struct Row {
  const char* curve;  // or null
  std::size_t bytes;  // of a coordinate
  const char* algorithm;
};

const Row& row(KeyType type) {
  static constexpr std::array<Row, 6> kRows{{{nullptr, 0, "RS256"},
                                             {nullptr, 0, "RS256"},
                                             {"P-256", 32, "ES256"},
                                             {"P-384", 48, "ES384"},
                                             {"P-521", 66, "ES512"},
                                             {nullptr, 0, "EdDSA"}}};
  return kRows[static_cast<std::size_t>(type)];
}

EVP_PKEY* make(KeyType type) {
  switch (type) {
    case KeyType::kRsa1024: return EVP_RSA_gen(1024);
    case KeyType::kRsa2048: return EVP_RSA_gen(2048);
    case KeyType::kP256:
    case KeyType::kP384:
    case KeyType::kP521: return EVP_EC_gen(row(type).curve);
    case KeyType::kEd25519: return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  }
  return nullptr;
}

std::string number(EVP_PKEY* key, const char* name, int bytes = 0) {
  BIGNUM* value = nullptr;
  must(EVP_PKEY_get_bn_param(key, name, &value) == 1);
  std::string text(static_cast<std::size_t>(bytes != 0 ? bytes : BN_num_bytes(value)), '\0');
  must(BN_bn2binpad(value, reinterpret_cast<unsigned char*>(text.data()),
                    static_cast<int>(text.size())) >= 0);
  BN_free(value);
  return text;
}

std::string member(std::string_view name, const std::string& bytes) {
  return ",\"" + std::string(name) + "\":\"" + crypto::base64url_encode(bytes) + '"';
}

// r || s, each of so many bytes.
std::string raw_ecdsa(const std::string& der, std::size_t bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  ECDSA_SIG* const signature = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
  must(signature != nullptr ? 1 : 0);
  std::string raw(2 * bytes, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(raw.data());
  const int half = static_cast<int>(bytes);
  must(BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, half) == half);
  must(BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + bytes, half) == half);
  ECDSA_SIG_free(signature);
  return raw;
}

const EVP_MD* digest(std::string_view bits) {
  if (bits == "384") return EVP_sha384();
  return bits == "512" ? EVP_sha512() : EVP_sha256();
}

}  // namespace

struct TokenKey::Impl {
  ~Impl() { EVP_PKEY_free(key); }
  EVP_PKEY* key = nullptr;
};

TokenKey::TokenKey(KeyType type, std::string kid)
    : type_(type), kid_(std::move(kid)), impl_(std::make_unique<Impl>()) {
  impl_->key = make(type);
  must(impl_->key != nullptr);
}
TokenKey::TokenKey(TokenKey&&) noexcept = default;
TokenKey::~TokenKey() = default;

std::string TokenKey::usual_algorithm() const { return row(type_).algorithm; }

std::string TokenKey::parts() const {
  EVP_PKEY* const key = impl_->key;
  if (type_ == KeyType::kRsa1024 || type_ == KeyType::kRsa2048)
    return R"("kty":"RSA")" + member("n", number(key, OSSL_PKEY_PARAM_RSA_N)) +
           member("e", number(key, OSSL_PKEY_PARAM_RSA_E));
  if (type_ == KeyType::kEd25519) {
    std::string bytes(32, '\0');
    std::size_t size = bytes.size();
    must(EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(bytes.data()), &size) ==
         1);
    return R"("kty":"OKP","crv":"Ed25519")" + member("x", bytes);
  }
  const int bytes = static_cast<int>(row(type_).bytes);
  return R"("kty":"EC","crv":")" + std::string(row(type_).curve) + '"' +
         member("x", number(key, OSSL_PKEY_PARAM_EC_PUB_X, bytes)) +
         member("y", number(key, OSSL_PKEY_PARAM_EC_PUB_Y, bytes));
}

std::string TokenKey::jwk(std::string_view more) const {
  std::string text = "{" + parts() + R"(,"kid":")" + kid_ + '"';
  if (!more.empty()) text.append(",").append(more);
  return text + "}";
}

std::string TokenKey::sign(std::string_view algorithm, std::string_view message) const {
  return sign_salted(algorithm, message, RSA_PSS_SALTLEN_DIGEST);
}

std::string TokenKey::sign_salted(std::string_view algorithm, std::string_view message,
                                  int salt_bytes) const {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = nullptr;
  const EVP_MD* const with = algorithm == "EdDSA" ? nullptr : digest(algorithm.substr(2));
  must(EVP_DigestSignInit(context, &settings, with, nullptr, impl_->key) == 1);
  if (algorithm.starts_with("PS")) {
    must(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    must(EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, salt_bytes) == 1);
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(message.data());
  std::size_t size = 0;
  must(EVP_DigestSign(context, nullptr, &size, bytes, message.size()) == 1);
  std::string made(size, '\0');
  must(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(made.data()), &size, bytes,
                      message.size()) == 1);
  made.resize(size);
  EVP_MD_CTX_free(context);
  return algorithm.starts_with("ES") ? raw_ecdsa(made, row(type_).bytes) : made;
}

std::string TokenKey::sign_der(std::string_view message) const {
  // "RS" only keeps the result as OpenSSL gives it.
  return sign("RS" + usual_algorithm().substr(2), message);
}

std::string TokenKey::token(std::string_view header, std::string_view payload,
                            std::string_view algorithm) const {
  const std::string input = signing_input(header, payload);
  const std::string usual = usual_algorithm();
  return input + "." + crypto::base64url_encode(sign(algorithm.empty() ? usual : algorithm, input));
}

std::string TokenKey::public_pem() const {
  BIO* const out = BIO_new(BIO_s_mem());
  must(PEM_write_bio_PUBKEY(out, impl_->key) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(out);
  return text;
}

std::string TokenKey::public_der() const {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(impl_->key, &der);
  must(size > 0);
  std::string text(reinterpret_cast<char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return text;
}

std::string TokenKey::modulus() const { return number(impl_->key, OSSL_PKEY_PARAM_RSA_N); }

std::string hmac(int bits, std::string_view secret, std::string_view message) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out;
  unsigned size = 0;
  must(HMAC(digest(std::to_string(bits)), secret.data(), static_cast<int>(secret.size()),
            reinterpret_cast<const unsigned char*>(message.data()), message.size(), out.data(),
            &size) != nullptr);
  return {reinterpret_cast<char*>(out.data()), size};
}

std::string signing_input(std::string_view header, std::string_view payload) {
  return crypto::base64url_encode(header) + "." + crypto::base64url_encode(payload);
}

}  // namespace penstock::test
