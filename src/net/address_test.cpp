#include "net/address.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock::net {
namespace {

// What is read is written again in the same words.
TEST(Address, ReadsAndWritesLiterals) {
  for (const std::string_view host : {"127.0.0.1", "0.0.0.0", "255.255.255.255"}) {
    const std::optional<Address> address = parse_ip(host, 80);
    ASSERT_TRUE(address) << host;
    EXPECT_FALSE(address->v6) << host;
    EXPECT_EQ(to_text(*address), std::string(host) + ":80");
  }
  for (const std::string_view host : {"::1", "::", "2001:db8::1", "fd00:1:2:3:4:5:6:7"}) {
    const std::optional<Address> address = parse_ip(host, 65535);
    ASSERT_TRUE(address) << host;
    EXPECT_TRUE(address->v6) << host;
    EXPECT_EQ(to_text(*address), "[" + std::string(host) + "]:65535");
  }
}

// Names need a resolver, and what only some systems take for an address is none.
TEST(Address, RefusesWhatIsNoLiteral) {
  using namespace std::string_view_literals;
  for (const std::string_view host :
       {""sv, "localhost"sv, "example.com"sv, "[::1]"sv, "127.1"sv, "127.0.0.1 "sv, " 127.0.0.1"sv,
        "256.0.0.1"sv, "01.2.3.4"sv, "1.2.3"sv, "1.2.3.4.5"sv, "0x7f.0.0.1"sv, "::1%lo"sv, ":::"sv,
        "12345::"sv, "127.0.0.1:80"sv, "127.0.0.1\0.evil.test"sv, "::1\0"sv}) {
    EXPECT_FALSE(parse_ip(host, 80)) << host;
  }
}

// The rule that decides whether the admin plane needs a token.
TEST(Address, KnowsLoopback) {
  EXPECT_TRUE(parse_ip("127.255.0.9", 1)->loopback());
  EXPECT_TRUE(parse_ip("::1", 1)->loopback());
  EXPECT_FALSE(parse_ip("128.0.0.1", 1)->loopback());
  EXPECT_FALSE(parse_ip("0.0.0.0", 1)->loopback());
  EXPECT_FALSE(parse_ip("::", 1)->loopback());
  EXPECT_FALSE(parse_ip("::2", 1)->loopback());
  EXPECT_FALSE(parse_ip("7f00::1", 1)->loopback());
}

// Connections are kept by address: the port and the family are part of it.
TEST(Address, EqualsByEveryPart) {
  EXPECT_EQ(*parse_ip("1.2.3.4", 80), *parse_ip("1.2.3.4", 80));
  EXPECT_NE(*parse_ip("1.2.3.4", 80), *parse_ip("1.2.3.4", 81));
  EXPECT_NE(*parse_ip("1.2.3.4", 80), *parse_ip("1.2.3.5", 80));
  EXPECT_NE(*parse_ip("0.0.0.0", 80), *parse_ip("::", 80));
}

}  // namespace
}  // namespace penstock::net
