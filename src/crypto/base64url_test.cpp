#include "crypto/base64url.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock::crypto {
namespace {

// RFC 4648 section 10, without the padding, and the two characters that differ from base64.
TEST(Base64Url, ReadsThePublishedExamples) {
  EXPECT_EQ(base64url_decode(""), "");
  EXPECT_EQ(base64url_decode("Zg"), "f");
  EXPECT_EQ(base64url_decode("Zm8"), "fo");
  EXPECT_EQ(base64url_decode("Zm9v"), "foo");
  EXPECT_EQ(base64url_decode("Zm9vYmFy"), "foobar");
  EXPECT_EQ(base64url_decode("-_-_"), "\xfb\xff\xbf");
}

// A token that may be written in two ways may be looked up in two ways.
TEST(Base64Url, RefusesEveryOtherSpelling) {
  for (const std::string_view bad : {"Zg==", "Zm8=", "Z", "Zm9vY", "Zh", "Zm9", "Zm9v\n", " Zm9v",
                                     "Zm 9v", "Zm9+", "Zm9/", "Zm9.", "Z\xc3\xa9", "%5A"})
    EXPECT_EQ(base64url_decode(bad), std::nullopt) << bad;
  EXPECT_EQ(base64url_decode(std::string_view("Zm9v\0", 5)), std::nullopt);
}

// Of all texts of three characters exactly those that encode two bytes are read, each as its own.
TEST(Base64Url, IsTheInverseOfWriting) {
  for (unsigned value = 0; value < 0x10000; ++value) {
    const std::string bytes{static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
    const std::string text = base64url_encode(bytes);
    ASSERT_EQ(text.size(), 3U);
    ASSERT_EQ(base64url_decode(text), bytes) << text;
  }
}

}  // namespace
}  // namespace penstock::crypto
