#include <array>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "crypto/compare.h"
#include "crypto/hex.h"
#include "crypto/random.h"
#include "crypto/sha256.h"

namespace penstock::crypto {
namespace {

std::string hashed(std::string_view bytes) { return hex_encode(sha256(bytes)); }

// The examples of FIPS 180-4, the empty text, and lengths around the padding's block edge.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hashed(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashed("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashed("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashed(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The context is one per thread: a second thread, and a second use, must not see the first.
TEST(Sha256, MayBeUsedFromSeveralThreads) {
  const auto expected = sha256("abc");
  std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(sha256("abc"), expected);
  });
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(sha256("abc"), expected);
}

// Encoding and decoding are each other's inverse over all byte values.
TEST(Hex, RoundTripsEveryByte) {
  std::array<std::byte, 256> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const std::string text = hex_encode(bytes);
  EXPECT_EQ(text.substr(0, 8), "00010203");
  EXPECT_EQ(text.substr(504), "fcfdfeff");
  std::array<std::byte, 256> back;
  ASSERT_TRUE(hex_decode(text, back));
  EXPECT_EQ(back, bytes);
}

// One value, one spelling: a hash in config is lower-case hex of exactly its length.
TEST(Hex, RefusesEveryOtherSpelling) {
  std::array<std::byte, 2> out;
  EXPECT_TRUE(hex_decode("0aff", out));
  for (const std::string_view bad : {"", "0af", "0aff0", "0AFF", "0x0a", " aff", "0afg", "0a:f"})
    EXPECT_FALSE(hex_decode(bad, out)) << bad;
  EXPECT_TRUE(hex_decode("", std::span<std::byte>()));
}

// A difference in any place counts, and so does a difference in length.
TEST(ConstantTimeEqual, SeesEveryDifference) {
  const std::string key = "sk-0123456789";
  EXPECT_TRUE(constant_time_equal(key, std::string(key)));
  EXPECT_TRUE(constant_time_equal("", ""));
  for (std::size_t i = 0; i < key.size(); ++i) {
    std::string other = key;
    other[i] ^= 1;
    EXPECT_FALSE(constant_time_equal(key, other)) << i;
  }
  EXPECT_FALSE(constant_time_equal(key, key.substr(1)));
  EXPECT_FALSE(constant_time_equal(key, ""));
}

// A generator that repeats itself would give two calls the same id.
TEST(FillRandom, DoesNotRepeatItself) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    std::array<std::byte, 16> id{};
    fill_random(id);
    EXPECT_TRUE(seen.insert(hex_encode(id)).second);
  }
  fill_random({});
}

}  // namespace
}  // namespace penstock::crypto
