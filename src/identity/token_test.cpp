#include "identity/token.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "crypto/base64url.h"
#include "crypto/public_key.h"
#include "tests/support/token_key.h"

namespace penstock::identity {
namespace {

using test::signing_input;

std::string with_header(std::string_view header) {
  return signing_input(header, R"({"iss":"i"})") + ".c2ln";
}

void expect_refused(std::string_view token, std::string_view what) {
  const Result<Token> read = read_token(token);
  ASSERT_FALSE(read.has_value()) << what;
  EXPECT_EQ(read.error().code, ErrorCode::kUnauthenticated) << what;
}

TEST(Token, IsTakenApart) {
  const std::string text = with_header(R"({"alg":"RS256","kid":"k\u0031","typ":"JWT"})");
  const Result<Token> token = read_token(text);
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->algorithm, crypto::SignatureAlgorithm::kRs256);
  EXPECT_EQ(token->kid, "k1");
  EXPECT_EQ(token->payload, R"({"iss":"i"})");
  EXPECT_EQ(token->signature, "sig");
  EXPECT_EQ(token->signed_part, text.substr(0, text.rfind('.')));
}

// The type is compared without case (RFC 7515 section 4.1.9); other things that the same issuer
// signs are not somebody's identity.
TEST(Token, IsAnAccessToken) {
  for (const char* type : {"JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"})
    EXPECT_TRUE(read_token(with_header(R"({"alg":"ES256","typ":")" + std::string(type) + "\"}")))
        << type;
  EXPECT_TRUE(read_token(with_header(R"({"alg":"ES256"})")));
  for (const char* type : {R"("logout+jwt")", R"("secevent+jwt")", R"("dpop+jwt")", R"("")", "null",
                           R"(["JWT"])", "1"})
    expect_refused(with_header(R"({"alg":"ES256","typ":)" + std::string(type) + "}"), type);
}

// Where a key comes from is decided by the configuration, so these change nothing.
TEST(Token, OffersOfKeysAreNotLookedAt) {
  EXPECT_TRUE(read_token(with_header(
      R"({"alg":"ES256","jku":"http://evil","x5u":"http://evil","jwk":{"kty":"oct"},"x5c":[]})")));
}

// Sizes are looked at before anything is decoded.
TEST(Token, HasABoundedSize) {
  const std::string header = R"({"alg":"ES256","a":")";
  const std::string fits = header + std::string(kTokenHeaderBytesMax - header.size() - 2, 'x');
  EXPECT_TRUE(read_token(with_header(fits + "\"}")));
  expect_refused(with_header(fits + "x\"}"), "a header of 4097 bytes");
  const std::string head = crypto::base64url_encode(R"({"alg":"ES256"})") + ".";
  const std::string tail = ".c2ln";
  const std::size_t room = kTokenBytesMax - head.size() - tail.size();
  const std::string longest = head + std::string(room - room % 4, 'A') + tail;
  EXPECT_TRUE(read_token(longest));
  expect_refused(head + std::string(room + 4, 'A') + tail, "a token beyond 16 KiB");
  const std::string kid(kKidBytesMax, 'k');
  EXPECT_TRUE(read_token(with_header(R"({"alg":"ES256","kid":")" + kid + "\"}")));
  expect_refused(with_header(R"({"alg":"ES256","kid":"k)" + kid + "\"}"), "a kid of 257 bytes");
}

// Every beginning of a token is refused or is a token with a shorter signature: never another one.
TEST(Token, IsNothingElseWhenCutAnywhere) {
  const std::string whole = with_header(R"({"alg":"ES256","kid":"k"})");
  const std::size_t last_dot = whole.rfind('.');
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const Result<Token> read = read_token(std::string_view(whole).substr(0, cut));
    if (cut <= last_dot + 1)
      EXPECT_FALSE(read.has_value()) << cut;
    else if (read)
      EXPECT_LT(read->signature.size(), 3U) << cut;
  }
}

// In a mode that takes both, the shape alone decides how a credential is read.
TEST(LooksLikeToken, TellsTokensFromKeys) {
  EXPECT_TRUE(looks_like_token("eyJhbGciOiJub25lIn0.e30."));
  EXPECT_TRUE(looks_like_token(with_header(R"({"alg":"RS256"})")));
  EXPECT_TRUE(looks_like_token(with_header("{ }")));
  for (const std::string_view key :
       {"", "e", "sk-1234", "sk-a.b.c", "eyJhbGciOiJub25lIn0", "eyJhbGciOiJub25lIn0.e30",
        "eyJhbGciOiJub25lIn0.e30..", "eaJ.a.b", ".eyJ.a"})
    EXPECT_FALSE(looks_like_token(key)) << key;
}

}  // namespace
}  // namespace penstock::identity
