#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/problem.h"
#include "tests/support/memory_files.h"

namespace penstock::config {
namespace {

constexpr std::string_view kHash =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

LoadResult judged(const std::string& text) {
  support::MemoryDisk disk;
  support::MemorySecrets secrets;
  secrets.put("env:TOKEN", "token");
  disk.put("penstock.yaml", text);
  return load("penstock.yaml", disk, secrets);
}

// The one problem of a file, as one line.
std::string fault(const std::string& text) {
  const LoadResult got = judged(text);
  EXPECT_EQ(got.problems.size(), 1U) << text;
  return got.problems.empty() ? "" : render(got.problems.front(), "penstock.yaml");
}

std::string tenant(const std::string& keys) {
  return "version: 1\nlisten: {}\ntenants:\n  retail:\n    keys: [ " + keys +
         " ]\n    workloads: { support: {} }\n";
}

std::string key(std::string_view id, std::string_view hash, std::string_view more = "") {
  return "{ id: " + std::string(id) + ", sha256: \"" + std::string(hash) + "\"" +
         std::string(more) + " }";
}

// Whoever reaches an open admin plane could drain the gateway.
TEST(Validate, AdminBeyondLoopbackNeedsAToken) {
  const std::string open = "version: 1\nlisten: { admin: 0.0.0.0:7101 }\n";
  EXPECT_NE(fault(open).find("admin.token"), std::string::npos);
  EXPECT_TRUE(judged(open + "admin: { token: env:TOKEN }\n").ok());
  EXPECT_TRUE(judged("version: 1\nlisten: { admin: \"[::1]:7101\" }\n").ok());
}

// Dev mode believes a header.
TEST(Validate, DevModeStaysOnLoopback) {
  EXPECT_NE(fault("version: 1\nlisten: { data: 0.0.0.0:7100 }\nauth: { mode: dev }\n").find("dev"),
            std::string::npos);
  EXPECT_NE(fault("version: 1\nlisten: { admin: 0.0.0.0:7101 }\nadmin: { token: env:TOKEN }\n"
                  "auth: { mode: dev }\n")
                .find("listen.admin"),
            std::string::npos)
      << "not even with a token";
  EXPECT_TRUE(judged("version: 1\nlisten: { data: 0.0.0.0:7100 }\nauth: { mode: keys }\n").ok());
}

TEST(Validate, ListenersDoNotShareAnAddress) {
  EXPECT_FALSE(judged("version: 1\nlisten: { data: 127.0.0.1:1, admin: 127.0.0.1:1 }\n").ok());
  EXPECT_TRUE(judged("version: 1\nlisten: { data: 127.0.0.1:0, admin: 127.0.0.1:0 }\n").ok());
}

TEST(Validate, ATenantWithoutKeysIsAnErrorInKeysModeOnly) {
  const std::string text = "version: 1\nlisten: {}\ntenants: { retail: {} }\n";
  EXPECT_NE(fault(text).find("tenants.retail"), std::string::npos);
  EXPECT_TRUE(judged(text + "auth: { mode: dev }\n").ok());
}

TEST(Validate, KeysModeWithoutTenantsIsAWarning) {
  EXPECT_EQ(judged("version: 1\nlisten: {}\n").warnings.size(), 1U);
}

TEST(Validate, KeysNameAWorkloadOfTheirTenant) {
  EXPECT_TRUE(judged(tenant(key("k1", kHash, ", workload: support"))).ok());
  const std::string said = fault(tenant(key("k1", kHash, ", workload: suport")));
  EXPECT_NE(said.find("unknown workload \"suport\""), std::string::npos) << said;
  EXPECT_NE(said.find("did you mean \"support\"? (defined at line 6)"), std::string::npos) << said;
}

// Two keys with one hash would be one key with two owners.
TEST(Validate, IdsAndHashesAreUsedOnce) {
  const std::string other(64, 'a');
  EXPECT_TRUE(judged(tenant(key("k1", kHash) + ", " + key("k2", other))).ok());
  EXPECT_NE(fault(tenant(key("k1", kHash) + ", " + key("k1", other))).find("same id"),
            std::string::npos);
  EXPECT_NE(fault(tenant(key("k1", kHash) + ", " + key("k2", kHash))).find("same hash"),
            std::string::npos);
  const std::string across =
      tenant(key("k1", kHash)) + "  web: { keys: [ " + key("k1", kHash) + " ] }\n";
  EXPECT_NE(fault(across).find("tenants.retail.keys[0].sha256"), std::string::npos);
}

TEST(Validate, ModelsAndProvidersLeadSomewhere) {
  const std::string provider = "version: 1\nlisten: {}\nproviders: { p: { dialect: openai, ";
  EXPECT_FALSE(judged(provider + "replicas: [] } }\n").ok());
  EXPECT_FALSE(judged(provider + "replicas: [ http://a, http://a ] } }\n").ok());
  const std::string model = provider + "replicas: [ http://a ] } }\nmodels: { m: { targets: ";
  EXPECT_TRUE(judged(model + "[ {provider: p, model: x} ] } }\n").ok());
  EXPECT_FALSE(judged(model + "[] } }\n").ok());
  EXPECT_FALSE(judged(model + "[ {provider: p, model: x, weight: 0} ] } }\n").ok());
}

// A model's name may look like an explicit provider.
TEST(Validate, ModelNamesMayHoldASlash) {
  EXPECT_TRUE(judged("version: 1\nlisten: {}\nproviders: { p: { dialect: openai, replicas: [ "
                     "http://a ] } }\nmodels: { p/x: { targets: [ {provider: p, model: x} ] } }\n")
                  .ok());
}

TEST(Validate, BodiesFitIntoTheirMemory) {
  EXPECT_FALSE(judged("version: 1\nlisten: {}\nlimits: { body_memory: 16MiB }\n").ok());
  EXPECT_TRUE(
      judged("version: 1\nlisten: {}\nlimits: { body_memory: 16MiB, body_bytes: 16MiB }\n").ok());
}

// These start, and then fail where nobody looks for the cause.
TEST(Validate, WarnsOfABalancerThatGivesUpFirst) {
  const std::string text =
      "version: 1\nauth: { mode: dev }\nproviders: { p: { dialect: openai, replicas: [ http://a ] "
      "} }\nlisten: { balancer_idle: ";
  EXPECT_TRUE(judged(text + "60s }\n").warnings.empty());
  EXPECT_EQ(judged(text + "59s }\n").warnings.size(), 1U);
  EXPECT_EQ(judged(text + "15s }\n").warnings.size(), 2U);
  EXPECT_TRUE(judged(text + "15s }\n").ok());
  const auto with_deadline = [&](const std::string& deadline) {
    return judged(text + "60s }\nmodels: { m: { deadline: " + deadline +
                  ", targets: [ { provider: p, model: x } ] } }\n");
  };
  EXPECT_TRUE(with_deadline("60s").warnings.empty());
  ASSERT_EQ(with_deadline("61s").warnings.size(), 1U);
  EXPECT_NE(with_deadline("61s").warnings[0].text.find("models.m.deadline"), std::string::npos);
}

// Whoever waits longer than a request lives waits for nothing.
TEST(Validate, WarnsOfPatienceBeyondTheDeadline) {
  const auto warned = [](const std::string& provider, const std::string& more = "") {
    return judged(
               "version: 1\nlisten: {}\nauth: { mode: dev }\nproviders: { p: { dialect: openai, "
               "replicas: [ http://a ]" +
               provider +
               " } }\nmodels: { m: { deadline: 30s, targets: [ { provider: p, model: "
               "x } ] } }\n" +
               more)
        .warnings;
  };
  EXPECT_TRUE(warned("").empty()) << "a default is nobody's mistake";
  EXPECT_TRUE(warned(", timeouts: { first_byte: 29s }").empty());
  EXPECT_EQ(warned(", timeouts: { first_byte: 30s }").size(), 1U);
  EXPECT_EQ(warned(", health: { interval: 1s, timeout: 2s }").size(), 1U);
  EXPECT_EQ(warned("", "admission: { queue: 5, queue_wait: 30s }\n").size(), 1U);
  EXPECT_TRUE(warned("", "admission: { queue: 5, queue_wait: 29s }\n").empty());
}

// It sends into the closed port until its health check has failed.
TEST(Validate, WarnsOfNoTimeToSettleBehindABalancer) {
  const std::string text =
      "version: 1\nauth: { mode: dev }\nlisten: { balancer_idle: 60s }\ndrain: { settle: ";
  EXPECT_TRUE(judged(text + "1ms }\n").warnings.empty());
  EXPECT_EQ(judged(text + "0s }\n").warnings.size(), 1U);
}

}  // namespace
}  // namespace penstock::config
