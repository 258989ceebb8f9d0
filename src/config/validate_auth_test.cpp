#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/problem.h"
#include "identity/auth_config.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

constexpr std::string_view kJwt =
    "jwt: { issuer: https://idp.example/, audience: penstock, jwks: https://idp.example/jwks.json";
constexpr std::string_view kTenant = "tenants: { retail: { workloads: { w: {} } } }\n";

LoadResult judged(const std::string& auth, std::string_view more = kTenant) {
  support::MemoryDisk disk;
  const support::MemorySecrets secrets;
  disk.put("f", "version: 1\nlisten: {}\nauth: { " + auth + " }\n" + std::string(more));
  return load("f", disk, secrets);
}

std::string jwt(std::string_view more = "") { return std::string(kJwt) + std::string(more) + " }"; }

// The one problem, as one line.
std::string fault(const std::string& auth) {
  const LoadResult got = judged(auth);
  EXPECT_EQ(got.problems.size(), 1U) << auth;
  return got.problems.empty() ? "" : render(got.problems.front(), "f");
}

TEST(ValidateAuth, TokensHaveDefaults) {
  const LoadResult got = judged("mode: jwt, " + jwt());
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(got.warnings.empty());
  const identity::JwtConfig& config = *got.config.auth.jwt;
  EXPECT_EQ(config.tenant_claim, "tenant");
  EXPECT_EQ(config.workload_claim, "workload");
  EXPECT_EQ(config.tier_claim, "tier");
  EXPECT_EQ(config.refresh, 5min);
  EXPECT_EQ(config.keep, 24h);
}

TEST(ValidateAuth, TheSectionStandsWhereItIsNeeded) {
  EXPECT_NE(fault("mode: jwt").find("auth.jwt"), std::string::npos);
  EXPECT_NE(fault("mode: keys_or_jwt").find("auth.jwt"), std::string::npos);
  EXPECT_NE(fault("mode: dev, " + jwt()).find("dev"), std::string::npos);
  const std::string keys = "tenants: { retail: { keys: [ { id: k, sha256: " + std::string(64, 'a') +
                           " } ], workloads: { w: {} } } }\n";
  EXPECT_EQ(judged("mode: dev", keys).problems.size(), 1U) << "keys that nobody asks for";
  EXPECT_TRUE(judged("mode: dev").ok());
  EXPECT_TRUE(judged("mode: keys_or_jwt, " + jwt(), keys).warnings.empty());
  const LoadResult unused = judged("mode: keys, " + jwt(), keys);
  EXPECT_TRUE(unused.ok());
  EXPECT_EQ(unused.warnings.size(), 1U);
  EXPECT_EQ(judged("mode: jwt, " + jwt(), keys).warnings.size(), 1U) << "keys that nobody takes";
}

// A tenant without keys is nobody's mistake where tokens are taken.
TEST(ValidateAuth, TenantsNeedNoKeysWhereTokensAreTaken) {
  EXPECT_TRUE(judged("mode: jwt, " + jwt()).ok());
  EXPECT_TRUE(judged("mode: keys_or_jwt, " + jwt()).ok());
  EXPECT_FALSE(judged("mode: keys").ok());
  EXPECT_EQ(judged("mode: jwt, " + jwt(), "").warnings.size(), 1U) << "nobody can call";
  EXPECT_EQ(judged("mode: jwt, " + jwt(), "tenants: { retail: {} }\n").warnings.size(), 1U);
}

TEST(ValidateAuth, TheKeySetComesSafely) {
  const auto with = [](const std::string& url) {
    return "mode: jwt, jwt: { issuer: i, audience: a, jwks: \"" + url + "\" }";
  };
  EXPECT_TRUE(judged(with("http://127.0.0.1:9000/jwks.json")).ok());
  EXPECT_TRUE(judged(with("https://idp.example/keys?appid=1")).ok());
  EXPECT_NE(fault(with("http://idp.example/jwks.json")).find("must be https"), std::string::npos);
  EXPECT_NE(fault(with("idp.example")).find("auth.jwt.jwks"), std::string::npos);
}

TEST(ValidateAuth, WhatMustBeSaidIsAskedFor) {
  EXPECT_EQ(judged("mode: jwt, jwt: {}").problems.size(), 3U);
  EXPECT_FALSE(judged("mode: jwt, jwt: { issuer: \"\", audience: a, jwks: https://a }").ok());
  EXPECT_FALSE(judged("mode: jwt, " + jwt(", tenant_claim: \"\"")).ok());
  EXPECT_NE(fault("mode: jwt, " + jwt(", keep: 1m")).find("keep"), std::string::npos);
  EXPECT_TRUE(judged("mode: jwt, " + jwt(", refresh: 200ms, keep: 200ms")).ok());
  EXPECT_FALSE(judged("mode: jwt, " + jwt(", refresh: 50ms")).ok());
}

}  // namespace
}  // namespace penstock::config
