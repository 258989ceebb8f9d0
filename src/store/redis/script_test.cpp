#include "store/redis/script.h"

#include <gtest/gtest.h>

#include "crypto/hex.h"
#include "crypto/sha1.h"

namespace penstock::store::redis {
namespace {

// source: FIPS 180-4, the example of RFC 3174.
TEST(Sha1, FollowsTheStandard) {
  EXPECT_EQ(crypto::hex_encode(crypto::sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(crypto::hex_encode(crypto::sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(Script, IsNamedByWhatIsSent) {
  const Script script("return {id}");
  EXPECT_TRUE(script.source().starts_with("#!lua\n"));
  EXPECT_TRUE(script.source().ends_with("return {id}"));
  EXPECT_EQ(script.sha(), crypto::hex_encode(crypto::sha1(script.source())));
}

}  // namespace
}  // namespace penstock::store::redis
