#include "config/compile_store.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "store/store_config.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

struct World {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;

  LoadResult load_store(std::string_view store) {
    disk.put("penstock.yaml", std::string("version: 1\nlisten: {}\nauth: {mode: dev}\nstore: ")
                                  .append(store)
                                  .append("\n"));
    return load("penstock.yaml", disk, secrets);
  }
  // The lines of its problems.
  std::string problems(std::string_view store) {
    const LoadResult loaded = load_store(store);
    std::string text;
    for (const std::string& line : rendered(loaded.problems, loaded.file)) text += line + "\n";
    return text;
  }
};

constexpr std::string_view kRedis = "{quota: {kind: redis}, redis: {url: env:REDIS_URL}}";

TEST(CompileStore, KeepsQuotasInMemoryByDefault) {
  World world;
  const LoadResult loaded = world.load_store("{}");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded.config.store.quota.kind, store::QuotaKind::kMemory);
  EXPECT_EQ(loaded.config.store.redis.timeout, 50ms);
  EXPECT_EQ(loaded.config.store.redis.emergency_share.ppm, 200'000U);
  EXPECT_EQ(loaded.config.store.redis.budget_open_for, 60s);
  const auto endpoint = compile_redis(loaded.config, world.secrets);
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ(*endpoint, nullptr);
}

TEST(CompileStore, ReadsTheUrl) {
  World world;
  world.secrets.put("env:REDIS_URL", "rediss://gate:p%40ss@redis.example:6380/3");
  const LoadResult loaded = world.load_store(kRedis);
  ASSERT_TRUE(loaded.ok());
  const auto endpoint = compile_redis(loaded.config, world.secrets);
  ASSERT_TRUE(endpoint.has_value());
  EXPECT_EQ((*endpoint)->host, "redis.example");
  EXPECT_EQ((*endpoint)->port, 6380);
  EXPECT_EQ((*endpoint)->database, 3U);
  EXPECT_EQ((*endpoint)->password.reveal(), "p@ss");
  EXPECT_NE((*endpoint)->tls, nullptr);
}

TEST(CompileStore, RefusesRedisWithoutAUrl) {
  World world;
  EXPECT_NE(world.problems("{quota: {kind: redis}}").find("store.redis.url"), std::string::npos);
  EXPECT_FALSE(world.load_store(kRedis).ok());  // the variable is not set
}

// A bad URL is told at check, and nothing of it is shown.
TEST(CompileStore, ABadUrlIsAProblemThatShowsNothingOfIt) {
  World world;
  for (const char* url :
       {"http://gate:hunter2@h", "redis://gate:hunter2@h:0", "redis://gate:hunter2@h/x",
        "redis://gate:hunt%er2@h", "redis://gate:hunter2@", "redis://hunter2",
        "redis://gate:hunter2@h?x=1"}) {
    world.secrets.put("env:REDIS_URL", url);
    const std::string told = world.problems(kRedis);
    if (std::string_view(url) == "redis://hunter2") {
      EXPECT_EQ(told, "");  // a host like any other
      continue;
    }
    EXPECT_NE(told.find("store.redis.url"), std::string::npos) << url;
    EXPECT_EQ(told.find("hunter2"), std::string::npos) << told;
    EXPECT_EQ(told.find("gate"), std::string::npos) << told;
    EXPECT_EQ(std::ranges::count(told, '\n'), 1) << "told once: " << told;
  }
}

TEST(CompileStore, TrustNeedsACertificateAndAnEncryptedUrl) {
  World world;
  constexpr std::string_view kTrusting =
      "{quota: {kind: redis}, redis: {url: env:REDIS_URL, tls: {ca: env:CA}}}";
  world.secrets.put("env:CA", "no certificate");
  world.secrets.put("env:REDIS_URL", "rediss://h");
  EXPECT_FALSE(world.load_store(kTrusting).ok());
  world.secrets.put("env:REDIS_URL", "redis://h");
  EXPECT_NE(world.problems(kTrusting).find("rediss"), std::string::npos);
}

}  // namespace
}  // namespace penstock::config
