
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/sha256.h"
#include "gateway/identify.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "identity/auth_config.h"
#include "identity/claims.h"
#include "identity/key_ring.h"
#include "identity/key_set.h"
#include "tests/support/scope_rig.h"
#include "tests/support/token_key.h"

namespace penstock::gateway {
namespace {

// What identify() says of a request with this credential.
struct Said {
  bool waits = false;
  std::optional<Error> error;
  std::string tenant;
  std::string workload;
  std::string key_id;
  Tier tier = Tier::kInternal;
  std::size_t cached = 0;

  [[nodiscard]] std::optional<ErrorCode> code() const {
    return error ? std::optional(error->code) : std::nullopt;
  }
};

class TokenCallerTest : public testing::Test {
 protected:
  TokenCallerTest() {
    Snapshot& snapshot = *rig_.snapshot;
    snapshot.auth = identity::AuthMode::kJwt;
    snapshot.token_rules = std::make_shared<const identity::TokenRules>(
        identity::TokenRules{.issuer = "i",
                             .audience = "penstock",
                             .tenant_claim = "tenant",
                             .workload_claim = "workload",
                             .tier_claim = "tier"});
    snapshot.tenants["acme"].workloads["app"];
    Tenant& customer = snapshot.tenants["customer"];
    customer.tier = Tier::kExternal;
    customer.workloads["one"];
    customer.workloads["two"];
    snapshot.tenants["empty"];
    publish(key_.jwk());
  }

  // The issuer's keys from now on.
  void publish(const std::string& jwk, Duration keep = 24h) {
    auto set = std::make_shared<const identity::KeySet>(
        identity::KeySet::parse(R"({"keys":[)" + jwk + "]}").value());
    EXPECT_FALSE(rig_.process.key_desk.fetch_ended(set, rig_.loop.now() + keep, rig_.loop.now()));
  }
  [[nodiscard]] std::int64_t wall_seconds() const {
    return std::chrono::floor<std::chrono::seconds>(rig_.loop.clock().wall())
        .time_since_epoch()
        .count();
  }
  [[nodiscard]] std::string token(std::string_view claims, Duration life = 600s) const {
    const std::int64_t expires = wall_seconds() + life / 1s;
    return key_.token(R"({"alg":"ES256","kid":"k"})", R"({"iss":"i","aud":"penstock","exp":)" +
                                                          std::to_string(expires) + "," +
                                                          std::string(claims) + "}");
  }
  Said ask(std::string_view credential) {
    Said said;
    const auto look = [&](RequestScope& scope) {
      const std::optional<Result<Principal>> caller = identify(scope);
      said.cached = scope.worker.tokens.size();
      said.waits = !caller;
      if (!caller) return;
      if (!*caller) {
        said.error = caller->error();
        return;
      }
      said.tenant = (*caller)->tenant;
      said.workload = (*caller)->workload;
      said.key_id = (*caller)->key_id;
      said.tier = (*caller)->tier;
    };
    const std::string reply = rig_.ask("GET / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer " +
                                           std::string(credential) + "\r\n\r\n",
                                       look);
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200"));
    return said;
  }

  test::TokenKey key_{test::KeyType::kP256, "k"};
  test::ScopeRig rig_{std::vector<std::uint64_t>(100, 1)};  // the ids of 51 requests
};

TEST_F(TokenCallerTest, ClaimsNameTheCaller) {
  const Said said = ask(token(R"("tenant":"customer","workload":"two")"));
  EXPECT_FALSE(said.error);
  EXPECT_EQ(said.tenant, "customer");
  EXPECT_EQ(said.workload, "two");
  EXPECT_EQ(said.key_id, "");
  EXPECT_EQ(said.tier, Tier::kExternal);
  EXPECT_EQ(ask(token(R"("tenant":"acme")")).workload, "app") << "its only one";
}

TEST_F(TokenCallerTest, WhoIsNotInTheConfigIsUnauthenticated) {
  for (const char* claims :
       {R"("tenant":"nobody")", R"("tenant":"ACME")", R"("tenant":"acme","workload":"other")",
        R"("tenant":"customer")", R"("tenant":"empty")", R"("tenant":"empty","workload":"app")"})
    EXPECT_EQ(ask(token(claims)).code(), ErrorCode::kUnauthenticated) << claims;
}

// A claim can only take away.
TEST_F(TokenCallerTest, TheStricterTierHolds) {
  const auto tier = [&](std::string_view tenant, std::string_view claim) {
    return ask(token(R"("workload":")" + std::string(tenant == "acme" ? "app" : "one") +
                     R"(","tenant":")" + std::string(tenant) + R"(","tier":")" +
                     std::string(claim) + "\""))
        .tier;
  };
  EXPECT_EQ(tier("acme", "internal"), Tier::kInternal);
  EXPECT_EQ(tier("acme", "external"), Tier::kExternal);
  EXPECT_EQ(tier("customer", "internal"), Tier::kExternal);
  EXPECT_EQ(tier("customer", "external"), Tier::kExternal);
}

// Verified once, and not past its time.
TEST_F(TokenCallerTest, AVerifiedTokenIsKeptUntilItExpires) {
  const std::string text = token(R"("tenant":"acme")", 10s);
  EXPECT_EQ(ask(text).cached, 1U);
  EXPECT_EQ(ask(text).cached, 1U);
  rig_.loop.advance(69s);
  EXPECT_FALSE(ask(text).error);
  rig_.loop.advance(1s);
  const Said late = ask(text);
  EXPECT_EQ(late.code(), ErrorCode::kUnauthenticated);
  EXPECT_EQ(late.cached, 0U);
}

// Nothing that was refused is kept, so that a stranger pushes nobody out.
TEST_F(TokenCallerTest, RefusedTokensAreNotKept) {
  std::string forged = token(R"("tenant":"acme")");
  forged[forged.size() - 5] = forged[forged.size() - 5] == 'A' ? 'B' : 'A';
  EXPECT_EQ(ask(forged).code(), ErrorCode::kUnauthenticated);
  EXPECT_EQ(ask(token(R"("tenant":"acme")", -61s)).code(), ErrorCode::kUnauthenticated);
  EXPECT_EQ(ask("x.y.z").cached, 0U);
}

// A key that its issuer has withdrawn opens nothing any more, at the next set.
TEST_F(TokenCallerTest, AKeptTokenDiesWithItsKey) {
  const std::string text = token(R"("tenant":"acme")");
  EXPECT_FALSE(ask(text).error);
  const test::TokenKey other(test::KeyType::kP256, "other");
  publish(key_.jwk() + "," + other.jwk());
  EXPECT_EQ(ask(text).cached, 1U);
  publish(other.jwk());
  EXPECT_TRUE(ask(text).waits) << "a fetch might bring it";
  const test::TokenKey same_kid(test::KeyType::kP256, "k");
  publish(same_kid.jwk());
  EXPECT_EQ(ask(text).code(), ErrorCode::kUnauthenticated);
}

TEST_F(TokenCallerTest, AnOldKeySetIsNone) {
  publish(key_.jwk(), 60s);
  const std::string text = token(R"("tenant":"acme")");
  EXPECT_FALSE(ask(text).error);
  rig_.loop.advance(60s);
  EXPECT_TRUE(ask(text).waits);
  EXPECT_EQ(ask("x.y.z").code(), ErrorCode::kUnauthenticated)
      << "what is no token waits for nothing";
}

// Another configuration may be stricter about what was verified under the one before.
TEST_F(TokenCallerTest, OtherRulesForgetWhatWasVerified) {
  const std::string text = token(R"("tenant":"acme")");
  EXPECT_FALSE(ask(text).error);
  identity::TokenRules stricter = *rig_.snapshot->token_rules;
  stricter.audience = "other";
  rig_.snapshot->token_rules = std::make_shared<const identity::TokenRules>(stricter);
  EXPECT_EQ(ask(text).code(), ErrorCode::kUnauthenticated);
}

// Each mode takes its own, and the shape decides in the one that takes both.
TEST_F(TokenCallerTest, ModesTakeTheirOwn) {
  identity::KeyEntry entry;
  entry.sha256 = crypto::sha256("sk-secret");
  entry.tenant = "acme";
  entry.key_id = "k1";
  const std::string text = token(R"("tenant":"acme")");
  rig_.snapshot->keys = identity::KeyRing::build({entry}).value();
  EXPECT_FALSE(ask(text).error);
  EXPECT_EQ(ask("sk-secret").code(), ErrorCode::kUnauthenticated);
  rig_.snapshot->auth = identity::AuthMode::kKeysOrJwt;
  EXPECT_FALSE(ask(text).error);
  EXPECT_EQ(ask("sk-secret").key_id, "k1");
  EXPECT_EQ(ask("sk-wrong").code(), ErrorCode::kUnauthenticated);
  EXPECT_EQ(ask("eyJ.x.y").code(), ErrorCode::kUnauthenticated);
  rig_.snapshot->auth = identity::AuthMode::kKeys;
  EXPECT_EQ(ask(text).code(), ErrorCode::kUnauthenticated);
  EXPECT_EQ(ask("sk-secret").key_id, "k1");
}

// Two credentials that differ are nobody's choice, whatever each would be worth.
TEST_F(TokenCallerTest, TwoCredentialsAreNone) {
  const std::string text = token(R"("tenant":"acme")");
  EXPECT_EQ(ask(text + "\r\nx-api-key: " + token(R"("tenant":"customer","workload":"one")")).code(),
            ErrorCode::kUnauthenticated);
  EXPECT_EQ(ask(text + "\r\nauthorization: Bearer " + text).code(), ErrorCode::kUnauthenticated);
  EXPECT_FALSE(ask(text + "\r\nx-api-key: " + text).error);
}

}  // namespace
}  // namespace penstock::gateway
