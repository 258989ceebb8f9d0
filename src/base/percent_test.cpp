#include "base/percent.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace penstock {
namespace {

TEST(Percent, DecodesOnce) {
  EXPECT_EQ(percent_decoded(""), "");
  EXPECT_EQ(percent_decoded("plain+text"), "plain+text");
  EXPECT_EQ(percent_decoded("p%2Fgpt%2d5"), "p/gpt-5");
  EXPECT_EQ(percent_decoded("%2541"), "%41");
  EXPECT_EQ(percent_decoded("%C3%bc%00"), std::string("\xC3\xBC\0", 3));
}

TEST(Percent, BrokenEscapesMeanNothing) {
  for (const char* text : {"%", "a%", "%4", "a%4", "%4g", "%g4", "%%41", "%+4", "ok%20%2"})
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
}

}  // namespace
}  // namespace penstock
