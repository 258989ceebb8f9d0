#include "crypto/public_key.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "crypto/base64url.h"
#include "crypto/ecdsa_signature.h"
#include "crypto/roca.h"
#include "tests/support/token_key.h"

namespace penstock::crypto {
namespace {

using test::KeyType;
using test::TokenKey;

constexpr std::string_view kMessage = "what was signed";

// The value of a member of a JWK, decoded.
std::string part(const TokenKey& key, std::string_view name) {
  const std::string jwk = key.jwk();
  const std::string mark = "\"" + std::string(name) + "\":\"";
  const std::size_t from = jwk.find(mark) + mark.size();
  return base64url_decode(std::string_view(jwk).substr(from, jwk.find('"', from) - from)).value();
}

PublicKey rsa_of(const TokenKey& key) {
  return PublicKey::rsa(part(key, "n"), part(key, "e")).value();
}
PublicKey ec_of(const TokenKey& key, Curve curve) {
  return PublicKey::ec(curve, part(key, "x"), part(key, "y")).value();
}

bool verifies(const PublicKey& key, const TokenKey& by, std::string_view algorithm) {
  const std::optional<SignatureAlgorithm> its = signature_algorithm(algorithm);
  return its && key.verify(*its, kMessage, by.sign(algorithm, kMessage));
}

// Names of a JOSE header are compared byte for byte.
TEST(SignatureAlgorithmNames, AreThoseOfTheStandardOnly) {
  EXPECT_EQ(signature_algorithm("RS256"), SignatureAlgorithm::kRs256);
  EXPECT_EQ(signature_algorithm("EdDSA"), SignatureAlgorithm::kEdDsa);
  for (const std::string_view bad : {"none", "None", "", "HS256", "HS512", "rs256", "RS256 ", "RS1",
                                     "ES256K", "RSA", "A128KW", "EDDSA"})
    EXPECT_EQ(signature_algorithm(bad), std::nullopt) << bad;
}

TEST(PublicKey, VerifiesWhatItsOwnKeySigned) {
  const TokenKey rsa(KeyType::kRsa2048, "r");
  for (const char* name : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
    EXPECT_TRUE(verifies(rsa_of(rsa), rsa, name)) << name;
  const TokenKey p256(KeyType::kP256, "e");
  EXPECT_TRUE(verifies(ec_of(p256, Curve::kP256), p256, "ES256"));
  const TokenKey p384(KeyType::kP384, "e");
  EXPECT_TRUE(verifies(ec_of(p384, Curve::kP384), p384, "ES384"));
  const TokenKey p521(KeyType::kP521, "e");
  for (int i = 0; i < 20; ++i)  // halves with and without leading zeros
    EXPECT_TRUE(verifies(ec_of(p521, Curve::kP521), p521, "ES512"));
  const TokenKey ed(KeyType::kEd25519, "d");
  EXPECT_TRUE(verifies(PublicKey::ed25519(part(ed, "x")).value(), ed, "EdDSA"));
}

TEST(PublicKey, RefusesAnotherKeysSignatureAndAnotherMessage) {
  const TokenKey own(KeyType::kP256, "a");
  const TokenKey other(KeyType::kP256, "b");
  const PublicKey key = ec_of(own, Curve::kP256);
  EXPECT_FALSE(verifies(key, other, "ES256"));
  std::string signature = own.sign("ES256", kMessage);
  EXPECT_FALSE(key.verify(SignatureAlgorithm::kEs256, "what was not signed", signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    signature[i] = static_cast<char>(signature[i] ^ 1);
    EXPECT_FALSE(key.verify(SignatureAlgorithm::kEs256, kMessage, signature)) << i;
    signature[i] = static_cast<char>(signature[i] ^ 1);
  }
  EXPECT_TRUE(key.verify(SignatureAlgorithm::kEs256, kMessage, signature));
}

// The key says which algorithms there are: a header that names another one changes nothing.
TEST(PublicKey, IsPinnedToItsAlgorithms) {
  const TokenKey rsa(KeyType::kRsa2048, "r");
  const TokenKey p256(KeyType::kP256, "e");
  const PublicKey rsa_key = rsa_of(rsa);
  const PublicKey ec_key = ec_of(p256, Curve::kP256);
  EXPECT_FALSE(rsa_key.allows(SignatureAlgorithm::kEs256));
  EXPECT_FALSE(ec_key.allows(SignatureAlgorithm::kEs384));
  EXPECT_FALSE(ec_key.allows(SignatureAlgorithm::kRs256));
  const std::string pss = rsa.sign("PS256", kMessage);
  EXPECT_FALSE(rsa_key.verify(SignatureAlgorithm::kRs256, kMessage, pss));
  EXPECT_FALSE(rsa_key.verify(SignatureAlgorithm::kPs384, kMessage, pss));
  EXPECT_FALSE(rsa_key.verify(SignatureAlgorithm::kEs256, kMessage, pss));
  EXPECT_FALSE(rsa_key.verify(SignatureAlgorithm::kEdDsa, kMessage, pss));
}

// RFC 7518 section 3.5: the salt is as long as the digest.
TEST(PublicKey, WantsTheSaltOfTheStandard) {
  const TokenKey rsa(KeyType::kRsa2048, "r");
  const PublicKey key = rsa_of(rsa);
  for (const int salt : {0, 20, 31, 32, 33, 64})
    EXPECT_EQ(
        key.verify(SignatureAlgorithm::kPs256, kMessage, rsa.sign_salted("PS256", kMessage, salt)),
        salt == 32)
        << salt;
}

// CVE-2022-21449 and its kind: numbers that satisfy the equation without a key.
TEST(PublicKey, RefusesNumbersThatAreNoEcdsaSignature) {
  const TokenKey own(KeyType::kP256, "a");
  const PublicKey key = ec_of(own, Curve::kP256);
  const std::string order = base64url_decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE").value();
  const std::string good = own.sign("ES256", kMessage);
  const std::string zero(32, '\0');
  const std::string one = zero.substr(1) + '\1';
  const std::vector<std::string> bad{zero + zero,
                                     good.substr(0, 32) + zero,
                                     zero + good.substr(32),
                                     one + one,
                                     order + order,
                                     good.substr(0, 32) + order,
                                     order + good.substr(32),
                                     std::string(64, '\xff'),
                                     "",
                                     good.substr(0, 63),
                                     good + '\0',
                                     '\0' + good,
                                     own.sign_der(kMessage),
                                     good + good};
  for (std::size_t i = 0; i < bad.size(); ++i)
    EXPECT_FALSE(key.verify(SignatureAlgorithm::kEs256, kMessage, bad[i])) << i;
  EXPECT_TRUE(key.verify(SignatureAlgorithm::kEs256, kMessage, good));
}

// Every number below the order is let through to the verification, the order is not.
TEST(EcdsaDer, KnowsTheRange) {
  const std::string order("\x80\x00\x00\x01", 4);
  const auto signature = [](std::string_view r, std::string_view s) {
    return std::string(r) + std::string(s);
  };
  const std::string small("\x00\x00\x00\x01", 4);
  const std::string largest("\x80\x00\x00\x00", 4);
  EXPECT_EQ(ecdsa_der(signature(small, largest), order),
            std::string("\x30\x0a\x02\x01\x01\x02\x05\x00\x80\x00\x00\x00", 12));
  EXPECT_EQ(ecdsa_der(signature(small, order), order), std::nullopt);
  EXPECT_EQ(ecdsa_der(signature(std::string(4, '\0'), small), order), std::nullopt);
  EXPECT_EQ(ecdsa_der("\x01", order), std::nullopt);
}

TEST(PublicKey, RefusesWeakAndOddRsaKeys) {
  const TokenKey weak(KeyType::kRsa1024, "w");
  EXPECT_FALSE(PublicKey::rsa(part(weak, "n"), part(weak, "e")));
  const TokenKey good(KeyType::kRsa2048, "g");
  const std::string n = part(good, "n");
  EXPECT_TRUE(PublicKey::rsa(n, std::string("\x01\x00\x01", 3)));
  EXPECT_TRUE(PublicKey::rsa('\0' + n, std::string("\x00\x01\x00\x01", 4)));
  for (const std::string& e :
       {std::string(), std::string(1, '\0'), std::string("\x01", 1), std::string("\x03", 1),
        std::string("\x01\x00\x00", 3), std::string("\x01\x00\x00\x00\x01", 5)})
    EXPECT_FALSE(PublicKey::rsa(n, e)) << e.size();
  std::string even = n;
  even.back() = static_cast<char>(even.back() & 0xFE);
  EXPECT_FALSE(PublicKey::rsa(even, std::string("\x01\x00\x01", 3)));
  EXPECT_FALSE(PublicKey::rsa("", std::string("\x01\x00\x01", 3)));
  EXPECT_FALSE(PublicKey::rsa(std::string(1025, '\xff'), std::string("\x01\x00\x01", 3)));
  EXPECT_FALSE(PublicKey::rsa('\x7f' + n.substr(1), std::string("\x01\x00\x01", 3))) << "2047 bits";
}

// n = 65537 + 2^k * (3 * 5 * … * 167): what such a key's modulus looks like to whoever knows it.
TEST(PublicKey, RefusesModuliThatAreFactoredEasily) {
  const auto times = [](std::string number, unsigned factor) {
    unsigned carry = 0;
    for (std::size_t i = number.size(); i-- > 0;) {
      carry += static_cast<unsigned char>(number[i]) * factor;
      number[i] = static_cast<char>(carry & 0xFF);
      carry >>= 8;
    }
    return number;
  };
  std::string n(256, '\0');
  n.back() = 1;
  for (unsigned factor = 3; factor <= 167; factor += 2) {
    bool prime = true;
    for (unsigned i = 3; i * i <= factor; i += 2) prime = prime && factor % i != 0;
    if (prime) n = times(n, factor);
  }
  while ((static_cast<unsigned char>(n.front()) & 0x80) == 0) n = times(n, 2);
  ASSERT_EQ(n.substr(253), std::string(3, '\0')) << "so that the sum is easy";
  n.replace(253, 3, std::string("\x01\x00\x01", 3));
  EXPECT_TRUE(is_roca_modulus(n));
  EXPECT_FALSE(PublicKey::rsa(n, std::string("\x01\x00\x01", 3)));
  n.back() = 3;
  EXPECT_FALSE(is_roca_modulus(n));
  EXPECT_TRUE(PublicKey::rsa(n, std::string("\x01\x00\x01", 3)));
}

// A point beside the curve leaks whoever uses it; a coordinate of another length is another point.
TEST(PublicKey, RefusesPointsThatAreNone) {
  const TokenKey own(KeyType::kP256, "a");
  const std::string x = part(own, "x");
  const std::string y = part(own, "y");
  EXPECT_TRUE(PublicKey::ec(Curve::kP256, x, y));
  EXPECT_FALSE(PublicKey::ec(Curve::kP384, x, y));
  EXPECT_FALSE(PublicKey::ec(Curve::kP256, x, x));
  EXPECT_FALSE(PublicKey::ec(Curve::kP256, std::string(32, '\0'), std::string(32, '\0')));
  EXPECT_FALSE(PublicKey::ec(Curve::kP256, x.substr(1), y));
  EXPECT_FALSE(PublicKey::ec(Curve::kP256, '\0' + x, y));
  EXPECT_FALSE(PublicKey::ec(Curve::kP256, "", ""));
  EXPECT_FALSE(PublicKey::ed25519(x.substr(1)));
  EXPECT_FALSE(PublicKey::ed25519(""));
}

TEST(PublicKey, MayBeAskedBySeveralThreads) {
  const TokenKey rsa(KeyType::kRsa2048, "r");
  const PublicKey key = rsa_of(rsa);
  const std::string signature = rsa.sign("PS256", kMessage);
  const auto ask = [&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_TRUE(key.verify(SignatureAlgorithm::kPs256, kMessage, signature));
  };
  std::jthread other(ask);
  ask();
}

}  // namespace
}  // namespace penstock::crypto
