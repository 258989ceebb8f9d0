#include "identity/key_set.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "crypto/base64url.h"
#include "crypto/public_key.h"
#include "identity/jwk.h"
#include "tests/support/token_key.h"

namespace penstock::identity {
namespace {

using enum crypto::SignatureAlgorithm;
using test::KeyType;
using test::TokenKey;

std::string set_of(const std::vector<std::string>& jwks, std::string_view more = "") {
  std::string text = "{" + std::string(more) + R"("keys":[)";
  for (std::size_t i = 0; i < jwks.size(); ++i) text.append(i == 0 ? "" : ",").append(jwks[i]);
  return text + "]}";
}

class KeySetTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_rsa = new TokenKey(KeyType::kRsa2048, "r");
    made_ec = new TokenKey(KeyType::kP256, "e");
  }
  static void TearDownTestSuite() {
    delete made_rsa;
    delete made_ec;
  }
  static inline TokenKey* made_rsa = nullptr;
  static inline TokenKey* made_ec = nullptr;
};

TEST_F(KeySetTest, FindsKeysByKidAndAlgorithm) {
  const KeySet set = KeySet::parse(set_of({made_rsa->jwk(R"("alg":"PS256","use":"sig")"),
                                           made_ec->jwk(R"("key_ops":["verify"],"x5c":["AA=="])")},
                                          R"("extra":{"a":[1]},)"))
                         .value();
  EXPECT_EQ(set.size(), 2U);
  EXPECT_NE(set.find("r", kPs256), nullptr);
  EXPECT_EQ(set.find("r", kRs256), nullptr) << "its alg pins it";
  EXPECT_NE(set.find("e", kEs256), nullptr);
  EXPECT_EQ(set.find("e", kEs384), nullptr);
  EXPECT_EQ(set.find("x", kEs256), nullptr);
  EXPECT_TRUE(set.knows("e"));
  EXPECT_FALSE(set.knows("x"));
}

// Without `alg` a key may be used as its kind allows; never as a secret.
TEST_F(KeySetTest, AKeyWithoutAlgHasThoseOfItsKind) {
  const KeySet set = KeySet::parse(set_of({made_rsa->jwk(), made_ec->jwk()})).value();
  for (const auto algorithm : {kRs256, kRs384, kRs512, kPs256, kPs384, kPs512})
    EXPECT_NE(set.find("r", algorithm), nullptr);
  EXPECT_EQ(set.find("r", kEs256), nullptr);
  EXPECT_NE(set.find("e", kEs256), nullptr);
  EXPECT_EQ(set.find("e", kRs256), nullptr);
  EXPECT_EQ(set.find("e", kEdDsa), nullptr);
}

TEST_F(KeySetTest, ATokenWithoutKidMustLeaveNoChoice) {
  const TokenKey other(KeyType::kP256, "e2");
  const KeySet one = KeySet::parse(set_of({made_rsa->jwk(), made_ec->jwk()})).value();
  EXPECT_NE(one.find(std::nullopt, kEs256), nullptr);
  const KeySet two = KeySet::parse(set_of({made_ec->jwk(), other.jwk()})).value();
  EXPECT_EQ(two.find(std::nullopt, kEs256), nullptr);
}

TEST_F(KeySetTest, LeavesOutKeysThatMustNotVerify) {
  const TokenKey weak(KeyType::kRsa1024, "w");
  const std::string parts = made_ec->parts();
  const std::vector<std::string> bad{made_rsa->jwk(R"("use":"enc")"),
                                     made_rsa->jwk(R"("use":null)"),
                                     made_rsa->jwk(R"("key_ops":["encrypt"])"),
                                     made_rsa->jwk(R"("key_ops":"verify")"),
                                     made_rsa->jwk(R"("alg":"HS256")"),
                                     made_rsa->jwk(R"("alg":"none")"),
                                     made_rsa->jwk(R"("alg":"RSA-OAEP")"),
                                     made_rsa->jwk(R"("alg":"ES256")"),
                                     made_rsa->jwk(R"("alg":null)"),
                                     made_rsa->jwk(R"("d":"AQAB")"),
                                     made_rsa->jwk(R"("kty":"RSA")"),  // a member twice
                                     made_ec->jwk(R"("alg":"ES384")"),
                                     weak.jwk(),
                                     R"({"kty":"oct","kid":"o","k":"c2VjcmV0","alg":"HS256"})",
                                     R"({"kty":"oct","kid":"o","k":"c2VjcmV0"})",
                                     R"({"kty":"OKP","crv":"X25519","x":")" +
                                         crypto::base64url_encode(std::string(32, 'x')) + "\"}",
                                     R"({"kty":"OKP","crv":"Ed448","x":"AA"})",
                                     R"({"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"})",
                                     R"({"kty":"RSA"})",
                                     R"({"kty":["RSA"]})",
                                     "{}",
                                     "[]",
                                     "null",
                                     "7",
                                     "{" + parts + R"(,"kid":7})",
                                     "{" + parts + R"(,"kid":""})",
                                     "{" + parts + R"(,"kid":"a\u0000b"})",
                                     "{" + parts + R"(,"kid":")" + std::string(257, 'k') + "\"}"};
  for (const std::string& jwk : bad) EXPECT_EQ(read_jwk(jwk), std::nullopt) << jwk;
  std::vector<std::string> all = bad;
  all.push_back(made_ec->jwk());
  const KeySet set = KeySet::parse(set_of(all)).value();
  EXPECT_EQ(set.size(), 1U);
  EXPECT_EQ(set.left_out(), bad.size());
}

// What a provider serves in error must not take the good keys' place.
TEST_F(KeySetTest, IsASetOrNothing) {
  const std::string good = set_of({made_ec->jwk()});
  EXPECT_TRUE(KeySet::parse(good));
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[]"), std::string("<html>"),
        std::string(R"({"keys":{}})"), std::string(R"({"keys":null})"),
        std::string(R"({"keys":[]})"), good + "x", good.substr(0, good.size() - 1),
        "[" + good + "]", std::string(R"({"keys":[],"keys":[]})"),
        set_of({made_ec->jwk()}, R"("a":)" + std::string(200, '[')),
        good + std::string(KeySet::kBytesMax, ' '), set_of({R"({"kty":"oct"})"})}) {
    const Result<KeySet> read = KeySet::parse(bad);
    ASSERT_FALSE(read.has_value()) << bad.substr(0, 80);
    EXPECT_EQ(read.error().code, ErrorCode::kUpstreamBadResponse);
    EXPECT_FALSE(read.error().detail.empty());
  }
  std::vector<std::string> many(KeySet::kKeysMax, "{}");
  many.back() = made_ec->jwk();
  EXPECT_TRUE(KeySet::parse(set_of(many)));
  many.push_back("{}");
  EXPECT_FALSE(KeySet::parse(set_of(many)));
}

// Cut at every byte: no part of a set is a set.
TEST_F(KeySetTest, NoBeginningOfASetIsOne) {
  const std::string whole = set_of({made_ec->jwk(), made_rsa->jwk()});
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(KeySet::parse(std::string_view(whole).substr(0, cut))) << cut;
}

// Two keys under one name: the first one counts, and nothing is tried in turn.
TEST_F(KeySetTest, AKidThatStandsTwiceIsTheFirstOnes) {
  const TokenKey again(KeyType::kP256, "e");
  const TokenKey other_kind(KeyType::kRsa2048, "e");
  const KeySet set = KeySet::parse(set_of({made_ec->jwk(), again.jwk(), other_kind.jwk()})).value();
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.left_out(), 1U);
  EXPECT_EQ(set.find("e", kEs256)->fingerprint, read_jwk(made_ec->jwk())->fingerprint);
  EXPECT_NE(set.find("e", kRs256), nullptr);
}

// A cached token lives as long as exactly its key.
TEST_F(KeySetTest, FingerprintsTellKeysApart) {
  const TokenKey same_kid(KeyType::kP256, "e");
  const auto of = [](const std::string& jwk) { return read_jwk(jwk).value().fingerprint; };
  EXPECT_EQ(of(made_ec->jwk()), of(made_ec->jwk(R"("x5t":"other")")));
  EXPECT_NE(of(made_ec->jwk()), of(same_kid.jwk()));
  EXPECT_NE(of(made_ec->jwk()), of(made_ec->jwk(R"("alg":"ES256")")));
  const KeySet set = KeySet::parse(set_of({made_ec->jwk()})).value();
  EXPECT_TRUE(set.holds(of(made_ec->jwk())));
  EXPECT_FALSE(set.holds(of(same_kid.jwk())));
}

}  // namespace
}  // namespace penstock::identity
