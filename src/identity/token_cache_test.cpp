#include "identity/token_cache.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "crypto/sha256.h"
#include "identity/claims.h"
#include "identity/jwk.h"
#include "identity/key_set.h"
#include "tests/support/token_key.h"

namespace penstock::identity {
namespace {

using test::KeyType;
using test::TokenKey;

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};
constexpr WallTime kExpires = kNow + std::chrono::seconds(600);

Claims claims(std::string tenant) {
  Claims made;
  made.tenant = std::move(tenant);
  made.good_until = kExpires;
  return made;
}

KeySet set_of(const std::vector<const TokenKey*>& keys) {
  std::string text = R"({"keys":[)";
  for (const TokenKey* key : keys) text += (key == keys.front() ? "" : ",") + key->jwk();
  return KeySet::parse(text + "]}").value();
}

class TokenCacheTest : public testing::Test {
 protected:
  TokenCacheTest() { cache.use(rules); }
  void put(const std::string& token, std::uint64_t version = 1) {
    cache.put(crypto::sha256(token), fingerprint, version, claims(token));
  }
  // The tenant of the token, or nothing.
  std::string found(const std::string& token, const KeySet& keys, std::uint64_t version = 1,
                    WallTime now = kNow) {
    const Claims* const its = cache.find(crypto::sha256(token), keys, version, now);
    return its == nullptr ? "" : its->tenant;
  }

 public:
  const TokenKey key{KeyType::kP256, "k"};
  const TokenKey other{KeyType::kP256, "o"};
  const crypto::Sha256Digest fingerprint = read_jwk(key.jwk()).value().fingerprint;
  const KeySet keys = set_of({&key});
  const std::shared_ptr<const TokenRules> rules = std::make_shared<const TokenRules>();
  TokenCache cache;
};

TEST_F(TokenCacheTest, KnowsWhatWasVerified) {
  EXPECT_EQ(found("t", keys), "");
  put("t");
  put("u");
  EXPECT_EQ(found("t", keys), "t");
  EXPECT_EQ(found("u", keys), "u");
  EXPECT_EQ(found("t ", keys), "") << "the whole token counts";
}

// Until exp and the leeway, and not a microsecond longer.
TEST_F(TokenCacheTest, ForgetsATokenWhenItsTimeIsOver) {
  put("t");
  EXPECT_EQ(found("t", keys, 1, kExpires - std::chrono::microseconds(1)), "t");
  EXPECT_EQ(found("t", keys, 1, kExpires), "");
  EXPECT_EQ(cache.size(), 0U);
}

// A set that came anew changes nothing for a key that is still in it.
TEST_F(TokenCacheTest, AnEntryDiesWithItsKey) {
  put("t", 1);
  EXPECT_EQ(found("t", set_of({&other, &key}), 2), "t");
  EXPECT_EQ(found("t", set_of({&other}), 3), "");
  EXPECT_EQ(found("t", keys, 4), "") << "it does not come back with the key";
}

TEST_F(TokenCacheTest, ForgetsEverythingUnderOtherRules) {
  put("t");
  cache.use(rules);
  EXPECT_EQ(found("t", keys), "t");
  cache.use(std::make_shared<const TokenRules>());
  EXPECT_EQ(found("t", keys), "");
}

// Many tokens replace the ones that were used longest ago, and the memory stays what it is.
TEST_F(TokenCacheTest, IsBounded) {
  constexpr std::size_t kMax = TokenCache::kSets * TokenCache::kWays;
  put("used");
  for (std::size_t i = 0; i < 3 * kMax; ++i) {
    put(std::to_string(i));
    if (i % 512 == 0) EXPECT_EQ(found("used", keys), "used") << i;
  }
  EXPECT_LE(cache.size(), kMax);
  EXPECT_GT(cache.size(), kMax * 9 / 10);
  EXPECT_EQ(found(std::to_string(3 * kMax - 1), keys), std::to_string(3 * kMax - 1));
}

}  // namespace
}  // namespace penstock::identity
