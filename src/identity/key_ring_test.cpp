#include "identity/key_ring.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/principal.h"
#include "base/result.h"
#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/credentials.h"

namespace penstock::identity {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

KeyEntry entry(std::string_view key, std::string id) {
  return {.sha256 = crypto::sha256(key),
          .tenant = "retail",
          .workload = "support",
          .key_id = std::move(id),
          .tier = Tier::kExternal,
          .expires = std::nullopt,
          .state = KeyState::kEnabled};
}

KeyRing ring_of(std::vector<KeyEntry> entries) {
  auto ring = KeyRing::build(std::move(entries));
  EXPECT_TRUE(ring.has_value());
  return *std::move(ring);
}

Result<Principal> identify(const KeyRing& ring, std::string_view key) {
  return ring.identify({.x_api_key = key}, kNow);
}

void expect_refused(const Result<Principal>& result, ErrorCode code) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, code);
}

// The principal is what config says about the key, in views that the ring keeps alive.
TEST(KeyRing, NamesWhoCalls) {
  const KeyRing ring = ring_of({entry("sk-one", "support-1"), entry("sk-two", "support-2")});
  const auto found = identify(ring, "sk-two");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->tenant, "retail");
  EXPECT_EQ(found->workload, "support");
  EXPECT_EQ(found->key_id, "support-2");
  EXPECT_EQ(found->tier, Tier::kExternal);
}

// Unknown is 401; so is a prefix, an extension, or the hash itself in place of the key.
TEST(KeyRing, RefusesUnknownKeys) {
  const KeyRing ring = ring_of({entry("sk-one", "support-1")});
  for (const std::string_view key : {"sk-on", "sk-onee", "SK-ONE", "x"})
    expect_refused(identify(ring, key), ErrorCode::kUnauthenticated);
  expect_refused(identify(ring_of({}), "sk-one"), ErrorCode::kUnauthenticated);
  expect_refused(ring.identify({}, kNow), ErrorCode::kUnauthenticated);
}

// Disabled and expired are one code; the instant of expiry is the first that is refused.
TEST(KeyRing, RefusesDisabledAndExpiredKeys) {
  KeyEntry disabled = entry("sk-off", "off");
  disabled.state = KeyState::kDisabled;
  KeyEntry expired = entry("sk-old", "old");
  expired.expires = kNow;
  KeyEntry last = entry("sk-last", "last");
  last.expires = kNow + std::chrono::microseconds(1);
  const KeyRing ring = ring_of({disabled, expired, last});
  expect_refused(identify(ring, "sk-off"), ErrorCode::kKeyDisabled);
  expect_refused(identify(ring, "sk-old"), ErrorCode::kKeyDisabled);
  EXPECT_TRUE(identify(ring, "sk-last").has_value());
}

// What a client or an operator reads must not help to guess a key.
TEST(KeyRing, NeverRepeatsAKey) {
  const std::string secret = "zq-7391-zq";
  KeyEntry disabled = entry(secret, "off");
  disabled.state = KeyState::kDisabled;
  const KeyRing ring = ring_of({disabled});
  for (const Credentials& credentials :
       std::vector<Credentials>{{.x_api_key = secret},
                                {.authorization = "Basic zq-7391-zq"},
                                {.authorization = "Bearer zq-7391", .x_api_key = secret},
                                {.api_key = "zq-7391"}}) {
    const auto result = ring.identify(credentials, kNow);
    ASSERT_FALSE(result.has_value());
    const Error& error = result.error();
    const std::string said = error.message + error.param + error.hint + error.detail;
    EXPECT_EQ(said.find("7391"), std::string::npos) << said;
  }
}

// Two owners of one key would be told apart by chance.
TEST(KeyRing, RefusesTheSameHashTwice) {
  const auto ring =
      KeyRing::build({entry("sk-one", "a"), entry("sk-two", "b"), entry("sk-one", "c")});
  ASSERT_FALSE(ring.has_value());
  EXPECT_EQ(ring.error().code, ErrorCode::kInvalidRequest);
}

// Many keys share the table's slots; each must still be found, also after the ring has moved.
TEST(KeyRing, FindsEachOfManyKeys) {
  std::vector<KeyEntry> entries;
  entries.reserve(3000);
  for (int i = 0; i < 3000; ++i)
    entries.push_back(entry("sk-" + std::to_string(i), std::to_string(i)));
  KeyRing first = ring_of(std::move(entries));
  const KeyRing ring = std::move(first);
  EXPECT_EQ(ring.size(), 3000U);
  for (int i = 0; i < 3000; ++i)
    EXPECT_EQ(identify(ring, "sk-" + std::to_string(i)).value().key_id, std::to_string(i));
  expect_refused(identify(ring, "sk-3000"), ErrorCode::kUnauthenticated);
}

}  // namespace
}  // namespace penstock::identity
