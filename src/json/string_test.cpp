#include "json/string.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/utf8.h"

namespace penstock::json {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

// A member's name may be spelled with escapes: what we judge must be what the provider reads.
TEST(Equals, ComparesWhatIsMeant) {
  EXPECT_TRUE(equals("model", "model"));
  EXPECT_TRUE(equals("mod\\u0065l", "model"));
  EXPECT_TRUE(equals("\\u006d\\u006F\\u0064\\u0065\\u006c", "model"));
  EXPECT_TRUE(equals("a\\/b", "a/b"));
  EXPECT_TRUE(equals("\\ud83d\\ude00", "\xF0\x9F\x98\x80"));
  EXPECT_TRUE(equals("a\\\\b", "a\\b"));
  EXPECT_TRUE(equals("", ""));
  EXPECT_FALSE(equals("a\\b", "a\\b"));
  EXPECT_FALSE(equals("model", "mode"));
  EXPECT_FALSE(equals("mode", "model"));
  EXPECT_FALSE(equals("models", "model"));
  EXPECT_FALSE(equals("mod\\u0065ls", "model"));
  EXPECT_FALSE(equals("mod\\u0045l", "model"));
  EXPECT_FALSE(equals("mod\\u0065", "model"));
  EXPECT_FALSE(equals("x", ""));
}

TEST(Unescape, KnowsEveryEscape) {
  EXPECT_EQ(unescape("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(unescape("caf\\u00e9 \\u20AC \\u0041"), "caf\xC3\xA9 \xE2\x82\xAC A");
  EXPECT_EQ(unescape("\\ud83d\\ude00!"), "\xF0\x9F\x98\x80!");
  EXPECT_EQ(unescape("\\u0000"), std::string(1, '\0'));
  EXPECT_EQ(unescape("plain \xF0\x9F\x9A\xB0"), "plain \xF0\x9F\x9A\xB0");
}

// Models emit halves of surrogate pairs when a token boundary splits a character.
TEST(Unescape, ReplacesLoneSurrogates) {
  EXPECT_EQ(unescape("\\ud83d"), "\xEF\xBF\xBD");
  EXPECT_EQ(unescape("\\ude00x"), "\xEF\xBF\xBDx");
  EXPECT_EQ(unescape("\\ud83d\\u0041"),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(unescape("\\ud83d\\ud83d\\ude00"), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

// Bounded copies (error texts) stay UTF-8 wherever the bound falls.
TEST(Unescape, CutsBetweenCharacters) {
  constexpr std::string_view kRaw = "a\xF0\x9F\x9A\xB0\\u00e9\\n\xE2\x82\xACz";
  const std::string whole = unescape(kRaw);
  for (std::size_t bound = 0; bound <= whole.size() + 1; ++bound) {
    const std::string cut = unescape(kRaw, bound);
    EXPECT_LE(cut.size(), bound);
    EXPECT_TRUE(whole.starts_with(cut));
    EXPECT_TRUE(valid_utf8(cut)) << bound;
  }
  EXPECT_EQ(unescape(kRaw, whole.size()), whole);
}

// The reader checks escapes, yet no input may be read beyond its end.
TEST(Unescape, SurvivesBrokenEscapes) {
  for (const std::string_view raw : {"\\", "a\\", "\\u", "\\u12", "\\ud83d\\", "\\ud83d\\u1"}) {
    EXPECT_LE(unescape(raw).size(), raw.size());
    EXPECT_FALSE(equals(raw, "abcdefghijklmnop"));
  }
}

TEST(AppendEscaped, EscapesWhatMustBe) {
  EXPECT_EQ(escaped("say \"hi\" \\ \n\r\t\x01\x1F /"),
            "say \\\"hi\\\" \\\\ \\n\\r\\t\\u0001\\u001f /");
  EXPECT_EQ(escaped("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_TRUE(is_plain("org/model-1.5:\xC3\xA9"));
  EXPECT_FALSE(is_plain("a\"b"));
  EXPECT_FALSE(is_plain("a\\b"));
  EXPECT_FALSE(is_plain("a\nb"));
  EXPECT_FALSE(is_plain("\xFF"));
}

// Log lines carry bytes from outside; the line must be JSON whatever they are.
TEST(AppendEscaped, MakesJsonOfAnyBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second), 'x'};
      std::string quoted;
      append_quoted(quoted, text);
      ASSERT_TRUE(valid(quoted)) << first << ' ' << second;
      Reader reader(quoted);
      const std::string back = unescape(reader.read_string());
      if (valid_utf8(text)) {
        ASSERT_EQ(back, text);
      }
    }
  }
  EXPECT_EQ(escaped("a\xF0\x9F\x9A"), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xFF\n\xC3\xA9"), "\xEF\xBF\xBD\\n\xC3\xA9");
}

}  // namespace
}  // namespace penstock::json
