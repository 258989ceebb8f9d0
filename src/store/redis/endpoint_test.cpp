#include "store/redis/endpoint.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/secret.h"

namespace penstock::store::redis {
namespace {

Endpoint parsed(const char* url) {
  Result<Endpoint> got = parse_redis_url(Secret(url));
  EXPECT_TRUE(got.has_value()) << url;
  return got ? *std::move(got) : Endpoint();
}

TEST(Endpoint, ReadsEveryPart) {
  const Endpoint whole = parsed("rediss://gate:s%3Acr%2Fet@redis.example:6380/15");
  EXPECT_TRUE(whole.encrypted);
  EXPECT_EQ(whole.user, "gate");
  EXPECT_EQ(whole.password.reveal(), "s:cr/et");
  EXPECT_EQ(whole.host, "redis.example");
  EXPECT_EQ(whole.port, 6380);
  EXPECT_EQ(whole.database, 15U);
}

TEST(Endpoint, WhatIsLeftOutHasItsDefault) {
  const Endpoint bare = parsed("redis://localhost");
  EXPECT_FALSE(bare.encrypted);
  EXPECT_EQ(bare.port, 6379);
  EXPECT_EQ(bare.database, 0U);
  EXPECT_TRUE(bare.user.empty());
  EXPECT_TRUE(bare.password.empty());
  EXPECT_EQ(parsed("redis://h/").database, 0U);
}

// A password of the default user, one with an @ that nobody encoded, and IPv6.
TEST(Endpoint, TakesTheUsualShapes) {
  EXPECT_EQ(parsed("redis://:word@h").password.reveal(), "word");
  EXPECT_EQ(parsed("redis://u:a@b@h:1").password.reveal(), "a@b");
  EXPECT_EQ(parsed("redis://[::1]:7").host, "::1");
  EXPECT_EQ(parsed("redis://[fd00::7]").port, 6379);
  EXPECT_EQ(parsed("redis://u:a:b@h").password.reveal(), "a:b");
}

TEST(Endpoint, RefusesWhatIsNoUrlAndShowsNothingOfIt) {
  for (const char* url : {"",
                          "canary",
                          "redis:/canary",
                          "http://canary",
                          "redis://",
                          "redis://canary@h",
                          "redis://u:@h",
                          "redis://u:canary@",
                          "redis://u:can ary@h",
                          "redis://u:can%ary@h",
                          "redis://u:canary%2@h",
                          "redis://u:canary@h:0",
                          "redis://u:canary@h:65536",
                          "redis://u:canary@h:",
                          "redis://u:canary@h:1x",
                          "redis://u:canary@h/x",
                          "redis://u:canary@h/1000001",
                          "redis://u:canary@h/-1",
                          "redis://u:canary@h?db=1",
                          "redis://u:canary#@h",
                          "redis://u:canary@[::1",
                          "redis://u:canary@[canary]",
                          "redis://u:canary@[::1]x",
                          "redis://u:canary@h_\n"}) {
    const Result<Endpoint> got = parse_redis_url(Secret(url));
    ASSERT_FALSE(got.has_value()) << url;
    EXPECT_FALSE(got.error().message.empty());
    EXPECT_EQ(got.error().message.find("canary"), std::string::npos) << url;
  }
}

}  // namespace
}  // namespace penstock::store::redis
