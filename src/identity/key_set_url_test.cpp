#include "identity/key_set_url.h"

#include <optional>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock::identity {
namespace {

TEST(KeySetUrl, IsTakenApart) {
  const std::optional<KeySetUrl> plain = parse_key_set_url("https://IdP.example/a/keys/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->scheme, KeySetUrl::Scheme::kHttps);
  EXPECT_EQ(plain->host, "idp.example");
  EXPECT_EQ(plain->port, 443);
  EXPECT_EQ(plain->authority, "idp.example");
  EXPECT_EQ(plain->target, "/a/keys/") << "as written";
  const std::optional<KeySetUrl> full = parse_key_set_url("https://[fd00::7]:8443/k?appid=1");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->host, "fd00::7");
  EXPECT_EQ(full->authority, "[fd00::7]:8443");
  EXPECT_EQ(full->target, "/k?appid=1");
  EXPECT_EQ(parse_key_set_url("https://idp.example")->target, "/");
}

// Whoever can change keys on their way is everybody.
TEST(KeySetUrl, IsPlainOnThisMachineOnly) {
  for (const std::string_view good :
       {"http://127.0.0.1:9000/jwks.json", "http://localhost/jwks", "http://[::1]:1/k"})
    EXPECT_EQ(check_key_set_url(good), "") << good;
  EXPECT_NE(check_key_set_url("http://idp.example/jwks.json").find("https"),
            std::string_view::npos);
  for (const std::string_view bad :
       {"", "idp.example", "ftp://idp.example/", "https://", "https://u:p@idp.example/",
        "https://idp.example/#a", "https://idp.example/a b", "https://idp.example?x",
        "http://10.0.0.1/", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/",
        "https://idp.example/\r\nx: y"})
    EXPECT_NE(check_key_set_url(bad), "") << bad;
}

}  // namespace
}  // namespace penstock::identity
