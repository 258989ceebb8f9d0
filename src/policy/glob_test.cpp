#include "policy/glob.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/support/seeded_rng.h"

namespace penstock::policy {
namespace {

bool matches(const char* pattern, std::string_view name) { return Glob(pattern).matches(name); }

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(matches("chat", "chat"));
  EXPECT_FALSE(matches("chat", "chat2"));
  EXPECT_FALSE(matches("chat", "a-chat"));
  EXPECT_FALSE(matches("chat", "Chat"));
  EXPECT_FALSE(matches("", "x"));
  EXPECT_TRUE(matches("", ""));
}

TEST(Glob, StarStandsForAnythingAndASlashIsNothingSpecial) {
  for (const char* name : {"", "a", "sm", "small", "p/sm"}) EXPECT_TRUE(matches("*", name)) << name;
  EXPECT_TRUE(matches("sm*", "sm"));
  EXPECT_TRUE(matches("*-mini*", "gpt-5-mini-2026"));
  EXPECT_TRUE(matches("openai/*", "openai/meta/x"));
  EXPECT_FALSE(matches("sm*", "asm"));
  EXPECT_TRUE(matches("*a*b", "aXbab"));
  EXPECT_FALSE(matches("*a*b", "aXbaa"));
}

TEST(Glob, QuestionMarkStandsForOneByte) {
  EXPECT_TRUE(matches("gpt-?", "gpt-5"));
  EXPECT_FALSE(matches("gpt-?", "gpt-"));
  EXPECT_FALSE(matches("gpt-?", "gpt-55"));
  EXPECT_TRUE(matches("?*", "x"));
  EXPECT_FALSE(matches("?*", ""));
}

// A name may hold what a pattern gives a meaning to, and brackets mean nothing.
TEST(Glob, NamesAreNoPatterns) {
  EXPECT_FALSE(matches("chat", "*"));
  EXPECT_FALSE(matches("chat", "????"));
  EXPECT_FALSE(matches("[ab]", "a"));
  EXPECT_TRUE(matches("[ab]", "[ab]"));
}

// Quadratic at worst: a recursive matcher would not come back from this.
TEST(Glob, HostileNamesCostLittle) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "a*";
  EXPECT_FALSE(matches((pattern + "b").c_str(), std::string(5000, 'a')));
}

TEST(Glob, TellsWhetherAnythingBelowAPrefixCouldMatch) {
  EXPECT_TRUE(Glob("canary/*").can_match_under("canary/"));
  EXPECT_TRUE(Glob("*").can_match_under("canary/"));
  EXPECT_TRUE(Glob("can*").can_match_under("canary/"));
  EXPECT_TRUE(Glob("*/gpt-5").can_match_under("canary/"));
  EXPECT_TRUE(Glob("c?nary/x").can_match_under("canary/"));
  EXPECT_FALSE(Glob("chat-nowhere*").can_match_under("canary/"));
  EXPECT_FALSE(Glob("canary/").can_match_under("canary/"));
  EXPECT_FALSE(Glob("canary").can_match_under("canary/"));
  EXPECT_FALSE(Glob("").can_match_under("canary/"));
}

// The plainest definition there is, for short texts.
bool means(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*')
    return means(pattern.substr(1), name) || (!name.empty() && means(pattern, name.substr(1)));
  return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
         means(pattern.substr(1), name.substr(1));
}

TEST(Glob, AgreesWithItsDefinition) {
  const std::uint64_t seed = test::seed_of_test(4);
  const testing::ScopedTrace trace(__FILE__, __LINE__, test::rerun_with(seed));
  test::SeededRng rng(seed);
  const auto text = [&](std::string_view letters) {
    std::string made;
    for (std::uint64_t left = rng.below(7); left > 0; --left)
      made += letters[rng.below(letters.size())];
    return made;
  };
  std::size_t matched = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = text("ab*?/");
    const std::string name = text("ab/");
    const bool wanted = means(pattern, name);
    ASSERT_EQ(Glob(pattern).matches(name), wanted) << pattern << " over " << name;
    if (wanted && name.starts_with("a/") && name.size() > 2)
      ASSERT_TRUE(Glob(pattern).can_match_under("a/")) << pattern << " over " << name;
    matched += wanted ? 1 : 0;
  }
  EXPECT_GT(matched, 1000U);
}

}  // namespace
}  // namespace penstock::policy
