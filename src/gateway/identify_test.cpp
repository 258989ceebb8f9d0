#include "gateway/identify.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/principal.h"
#include "crypto/sha256.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "identity/auth_config.h"
#include "identity/key_ring.h"
#include "tests/support/scope_rig.h"

namespace penstock::gateway {
namespace {

// What identify() says of a request with these header lines.
struct Identified {
  std::optional<ErrorCode> code;
  std::string tenant;
  std::string workload;
  std::string key_id;
  Tier tier = Tier::kInternal;
  std::string tenant_label;
  std::string workload_label;
};

class IdentifyTest : public testing::Test {
 protected:
  IdentifyTest() {
    rig_.snapshot->auth = identity::AuthMode::kDev;
    Tenant& tenant = rig_.snapshot->tenants["retail"];
    tenant.label = rig_.process.labels.intern("retail");
    tenant.tier = Tier::kExternal;
    tenant.workloads["support"].label = rig_.process.labels.intern("support");
  }

  void use_keys() {
    identity::KeyEntry entry;
    entry.sha256 = crypto::sha256("secret");
    entry.tenant = "retail";
    entry.workload = "support";
    entry.key_id = "k1";
    entry.tier = Tier::kExternal;
    std::vector<identity::KeyEntry> entries{entry};
    rig_.snapshot->auth = identity::AuthMode::kKeys;
    rig_.snapshot->keys = identity::KeyRing::build(std::move(entries)).value();
  }

  Identified ask(std::string_view fields) {
    Identified got;
    const auto look = [&](RequestScope& scope) {
      const Result<Principal> principal = identify(scope).value();
      if (!principal) {
        got.code = principal.error().code;
      } else {
        got.tenant = principal->tenant;
        got.workload = principal->workload;
        got.key_id = principal->key_id;
        got.tier = principal->tier;
      }
      got.tenant_label = rig_.process.labels.text(scope.tenant);
      got.workload_label = rig_.process.labels.text(scope.workload);
    };
    const std::string reply =
        rig_.ask("GET / HTTP/1.1\r\nhost: a\r\n" + std::string(fields) + "\r\n", look);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200"));
    return got;
  }

  test::ScopeRig rig_;
};

TEST_F(IdentifyTest, DevModeTrustsTheTenantHeader) {
  const Identified got = ask("X-Tenant-Id: retail\r\nauthorization: Bearer whatever\r\n");
  EXPECT_FALSE(got.code);
  EXPECT_EQ(got.tenant, "retail");
  EXPECT_EQ(got.tier, Tier::kExternal);
  EXPECT_EQ(got.tenant_label, "retail");
}

// Names that clients make up must not become metric labels.
TEST_F(IdentifyTest, UnknownTenantIsLabelledOther) {
  const Identified got = ask("x-tenant-id: made-up\r\n");
  EXPECT_EQ(got.tenant, "made-up");
  EXPECT_EQ(got.tenant_label, "other");
  EXPECT_EQ(got.tier, Tier::kInternal);
}

TEST_F(IdentifyTest, DevModeNeedsNoTenant) {
  const Identified got = ask("");
  EXPECT_FALSE(got.code);
  EXPECT_EQ(got.tenant_label, "");
}

// Each SDK puts its key elsewhere.
TEST_F(IdentifyTest, KeyIsFoundInEveryHeader) {
  for (const char* field : {"Authorization: Bearer secret", "X-API-Key: secret", "api-key: secret",
                            "x-goog-api-key: secret"}) {
    test::ScopeRig fresh;
    use_keys();
    fresh.snapshot = rig_.snapshot;
    std::string key_id;
    fresh.ask("GET / HTTP/1.1\r\nhost: a\r\n" + std::string(field) + "\r\n\r\n",
              [&](RequestScope& scope) {
                const Result<Principal> principal = identify(scope).value();
                ASSERT_TRUE(principal) << field;
                key_id = principal->key_id;
              });
    EXPECT_EQ(key_id, "k1") << field;
  }
}

TEST_F(IdentifyTest, KeyNamesTenantAndWorkload) {
  use_keys();
  const Identified got = ask("authorization: Bearer secret\r\nx-tenant-id: other\r\n");
  EXPECT_EQ(got.tenant, "retail");
  EXPECT_EQ(got.workload, "support");
  EXPECT_EQ(got.tenant_label, "retail");
  EXPECT_EQ(got.workload_label, "support");
}

TEST_F(IdentifyTest, MissingKeyIsUnauthenticated) {
  use_keys();
  EXPECT_EQ(ask("").code, ErrorCode::kUnauthenticated);
}

// Two that differ could be read in two ways by two programs.
TEST_F(IdentifyTest, DifferingKeysAreUnauthenticated) {
  use_keys();
  EXPECT_EQ(ask("x-api-key: secret\r\nx-api-key: other\r\n").code, ErrorCode::kUnauthenticated);
}

TEST_F(IdentifyTest, TwoAuthorizationsAreUnauthenticated) {
  use_keys();
  EXPECT_EQ(ask("authorization: Bearer secret\r\nauthorization: Bearer secret\r\n").code,
            ErrorCode::kUnauthenticated);
}

}  // namespace
}  // namespace penstock::gateway
