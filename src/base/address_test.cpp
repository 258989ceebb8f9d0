#include "base/address.h"

#include <optional>

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(ListenAddress, TakesLiteralsAndLocalhost) {
  const std::optional<ListenAddress> four = parse_listen_address("127.0.0.1:7100");
  ASSERT_TRUE(four.has_value());
  EXPECT_EQ(four->host, "127.0.0.1");
  EXPECT_EQ(four->port, 7100);
  const std::optional<ListenAddress> six = parse_listen_address("[::1]:0");
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->port, 0);
  EXPECT_TRUE(parse_listen_address("localhost:65535").has_value());
  for (const char* text : {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
                           "127.0.0.1:-1", "127.0.0.1:000080", "127.0.0:80", "::1:80", "[::1]",
                           "[::1]80", "[127.0.0.1]:80", "[::1:80", "example.org:80", "1.2.3.4:8 0"})
    EXPECT_FALSE(parse_listen_address(text).has_value()) << text;
}

// What is taken for loopback is served without protection.
TEST(ListenAddress, KnowsLoopback) {
  for (const char* text : {"127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "localhost:1"})
    EXPECT_TRUE(is_loopback(*parse_listen_address(text))) << text;
  for (const char* text :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "128.0.0.1:1", "[::2]:1", "[::ffff:10.0.0.1]:1"})
    EXPECT_FALSE(is_loopback(*parse_listen_address(text))) << text;
}

TEST(BaseUrl, IsSplitIntoItsParts) {
  const std::optional<BaseUrl> bare = parse_base_url("http://10.0.0.7:8000");
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->scheme, "http");
  EXPECT_EQ(bare->host, "10.0.0.7");
  EXPECT_EQ(bare->port, 8000);
  EXPECT_EQ(bare->path, "");
  const std::optional<BaseUrl> full = parse_base_url("https://API.groq.com/openai/v1/");
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->host, "api.groq.com");
  EXPECT_EQ(full->port, 443);
  EXPECT_EQ(full->path, "/openai/v1");
  const std::optional<BaseUrl> six = parse_base_url("http://[fd00::7]:8000/");
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->host, "fd00::7");
  EXPECT_EQ(six->path, "");
}

// A base that carries more than a base would be glued to a path and go somewhere else.
TEST(BaseUrl, HoldsNothingElse) {
  for (const char* text : {"",
                           "http://",
                           "ftp://a",
                           "http:/a",
                           "HTTP://a",
                           "http://user:pw@a",
                           "http://a?x=1",
                           "http://a/#x",
                           "http://a/b c",
                           "http://a:0",
                           "http://a:65536",
                           "http://a:",
                           "http://a:x",
                           "http://1.2.3",
                           "http://-a",
                           "http://a..b",
                           "http://[::1",
                           "http://[a]",
                           "http://a\r\nb",
                           "http://a/\x7f",
                           "http://a\\b"})
    EXPECT_FALSE(parse_base_url(text).has_value()) << text;
}

// What keeps a page in the operator's browser from giving orders.
TEST(Origin, KnowsPagesOfThisMachine) {
  for (const char* origin : {"http://localhost:3000", "http://127.0.0.1", "https://[::1]:7101"})
    EXPECT_TRUE(is_loopback_origin(origin)) << origin;
  for (const char* origin : {"https://evil.example", "http://127.0.0.1.evil.example", "null", "",
                             "http://10.0.0.7", "file://", "http://localhost.evil.example"})
    EXPECT_FALSE(is_loopback_origin(origin)) << origin;
}

TEST(Authority, KnowsLiterals) {
  for (const char* text :
       {"127.0.0.1:7101", "10.0.0.7", "localhost:7101", "LOCALHOST", "[::1]:7101"})
    EXPECT_TRUE(is_literal_authority(text)) << text;
  for (const char* text :
       {"evil.example:7101", "127.0.0.1.evil.example", "", "localhost.evil", "1.2"})
    EXPECT_FALSE(is_literal_authority(text)) << text;
}

}  // namespace
}  // namespace penstock
