#include "policy/expression.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "policy/custom_pattern.h"
#include "policy/identifier_corpus.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {
namespace {

bool good(std::string_view expression) { return CustomPattern::build(expression).has_value(); }

TEST(ExpressionTest, KnowsHowLongAMatchIs) {
  const Result<Expression> got = read_expression("E-\\d{6}");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->bytes_max, 14U);  // a literal may be four bytes, a digit is one
}

TEST(ExpressionTest, AdmitsWhatHasABound) {
  for (const char* text : {"E-\\d{6}", "(?i)emp[- ]?\\d{4,8}", "\\b(?:AB|CD)[A-Z]{2}\\b", "a.c",
                           "[^a-z]{1,20}x", "[]a]{2}", "[[:alpha:]]{3}", "Kunde Nr\\. \\d{1,9}",
                           "(a|bc?){2,3}", "größe \\d", "\\S{3,10}@intern"})
    EXPECT_TRUE(good(text)) << text;
}

TEST(ExpressionTest, RefusesWhatHasNone) {
  for (const char* text : {"a*", "a+", "a{2,}", "\\d+", "(ab)*c", "[a-z]+", "a*?"})
    EXPECT_FALSE(good(text)) << text;
}

TEST(ExpressionTest, RefusesWhatIsWrongOrMatchesNothing) {
  for (const char* text :
       {"",     "a?",     "(a|)",     "\\b",    "(",       ")",          "[",    "a{3,2}",
        "a{0}", "a{0,0}", "{3}",      "?",      "^a",      "a$",         "\\Aa", "a\\z",
        "\\pL", "\\1",    "(?P<n>a)", "(?=a)b", "a{1001}", "[a-z]{200}", "\\"})
    EXPECT_FALSE(good(text)) << text;
  EXPECT_FALSE(good(std::string(300, 'a')));
  EXPECT_FALSE(good("[z-a]"));
}

TEST(ExpressionTest, RefusesOneThatFindsItsOwnMask) {
  RedactConfig config;
  config.custom.add("word").expression = "[a-z]{4}";
  EXPECT_FALSE(Redactor::build(config));
  config = RedactConfig();
  EXPECT_FALSE(Redactor::build(config));  // nothing to look for
}

// What is held back of a text never lets a part of a match go: every split is the whole.
TEST(ExpressionTest, EverySplitIsTheWhole) {
  struct Case {
    std::string expression;
    std::string text;
    std::string masked;
  };
  const std::vector<Case> cases{
      {"E-\\d{6}", "an E-123456 and E-12345 x", "an [p] and E-12345 x"},
      {"\\bE-\\d{2,6}\\b", "E-12, XE-123 E-1234567 E-999999", "[p], XE-123 E-1234567 [p]"},
      {"(?i)emp(loyee)? ?\\d{4}", "Employee 1234 emp5678 empl 1", "[p] [p] empl 1"},
      {"(?:ab|abcd)e?", "abab abcde abc", "[p][p] [p]cde [p]c"},
      {"(?:ab|abcd)\\b", "abcd ab abc", "[p] [p] abc"},
      {"straße \\d{1,3}", "Die straße 12 und straße", "Die [p] und straße"},
      // Without case a k is the Kelvin sign too, of three bytes, and an s the long one, of two.
      {"(?i)n\\w{8,12}!", "an nKKKKſKKKKſ! n", "an [p] n"},
      {"a.{1,4}?z", "a1z a123456z azzz", "[p] a123456z [p]z"},
  };
  for (const Case& one : cases) {
    RedactConfig config;
    config.custom.add("p").expression = one.expression;
    const Redactor redactor = test::build(config);
    Tally tally{};
    for (std::size_t at = 0; at <= one.text.size(); ++at) {
      StreamRedactor stream(redactor, Writing::kPlain, tally);
      std::string out;
      stream.feed(std::string_view(one.text).substr(0, at), out);
      stream.feed(std::string_view(one.text).substr(at), out);
      stream.finish(out);
      EXPECT_EQ(out, one.masked) << one.expression << " at " << at;
    }
  }
}

}  // namespace
}  // namespace penstock::policy
