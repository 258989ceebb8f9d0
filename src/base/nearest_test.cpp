#include "base/nearest.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// Each kind of slip of the finger counts as one edit.
TEST(EditDistance, CountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("openai", "openai"), 0U);
  EXPECT_EQ(edit_distance("opnai", "openai"), 1U);
  EXPECT_EQ(edit_distance("heartbeet", "heartbeat"), 1U);
  EXPECT_EQ(edit_distance("oepnai", "openai"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

// The tables are of a fixed size: a longer word must not reach beyond them.
TEST(EditDistance, TakesWordsAtAndBeyondItsBound) {
  const std::string at(128, 'a');
  const std::string beyond(129, 'a');
  EXPECT_EQ(edit_distance(at, at), 0U);
  EXPECT_EQ(edit_distance(beyond, beyond), 129U);
}

// A suggestion that is nothing like what was written only confuses.
TEST(Nearest, SuggestsOnlyWhatIsNear) {
  constexpr std::array<std::string_view, 3> kWords{"openai", "stable", "a"};
  EXPECT_EQ(nearest("opnai", kWords), "openai");
  EXPECT_EQ(nearest("stabel", kWords), "stable");
  EXPECT_EQ(nearest("anthropic", kWords), std::nullopt);
  EXPECT_EQ(nearest("b", kWords), std::nullopt);
  EXPECT_EQ(nearest("", kWords), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace penstock
