#include "json/reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/string.h"
#include "json/utf8.h"

namespace penstock::json {
namespace {

bool accepts(std::string_view text) {
  Reader reader(text);
  reader.skip_value();
  return reader.finish();
}

constexpr std::string_view kOdd =
    " {\"a\" : [ {\"b\":\"caf\\u00e9 \xF0\x9F\x9A\xB0 \\\"q\\\" \\/ \\ud83d\" , \"c\":-0.10E+2}, [ "
    "],{ },\r\n"
    "true,false,null ],\t\"big\":123456789012345678901234567890,\"x\":1E400, \"model\":\"m\" } ";

// What engines and clients send and a re-serialising gateway would change or refuse.
TEST(Reader, AcceptsEveryWellFormedDocument) {
  EXPECT_TRUE(accepts(kOdd));
  for (const std::string_view text :
       {"{}", "[]", "0", "-0", "-0.0", "1E400", "1e-400", "0.10", "18446744073709551616", "true",
        "false", "null", " \t\r\n[ 1 , 2 ]\n", "{\"a\":1,\"a\":2}", "\"\"", "\"\\ud83d\"",
        "\"\\udc00\\ud83d\"", "\"\x7F\"", "\"\\u0000\""})
    EXPECT_TRUE(accepts(text)) << text;
}

TEST(Reader, RefusesBrokenStructure) {
  for (const std::string_view text :
       {"",        " ",        "{",          "}",          "[",         "]",
        "{]",      "[}",       "[1,]",       "[,1]",       "[1 2]",     "[1,,2]",
        "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
        "{a:1}",   "{1:1}",    "{'a':1}",    "{\"a\":1]",  "[1}",       "{\"a\":[}]"})
    EXPECT_FALSE(accepts(text)) << text;
}

TEST(Reader, RefusesBrokenNumbersAndWords) {
  for (const std::string_view text :
       {"01",    "-",   "-a",   "+1",     ".5",  "1.",    "1.e1",     "1e",
        "1e+",   "0x1", "1_0",  "--1",    "00",  "-01",   "1.2.3",    "nul",
        "nulll", "tru", "True", "falsey", "NaN", "1e1e1", "Infinity", "-Infinity"})
    EXPECT_FALSE(accepts(text)) << text;
}

TEST(Reader, RefusesBrokenStrings) {
  for (const std::string_view text :
       {"\"", "\"a", "\"\\\"", "\"\\q\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"\\u", "\"a\nb\"",
        "\"a\tb\"", "\"\x01\"", "\"\x1F\"", "'a'"})
    EXPECT_FALSE(accepts(text)) << text;
  EXPECT_FALSE(accepts(std::string_view("\"\0\"", 3)));
}

// The rest of a document decides over all of it: a lazy reader would have passed these.
TEST(Reader, RefusesWhateverFollowsTheDocument) {
  for (const std::string_view text :
       {"{} x", "{}{}", "{}}", "1 2", "[]]", "\"a\" \"b\"", "[1]//", "null,", "{}\xC2\xA0"})
    EXPECT_FALSE(accepts(text)) << text;
  EXPECT_FALSE(accepts(std::string_view("1\0", 2)));
  for (const std::string_view text : {"<html></html>", "\xEF\xBB\xBF{}", "/**/1", "\f1", "\v1"})
    EXPECT_FALSE(accepts(text)) << text;
  EXPECT_FALSE(accepts(std::string_view("\0", 1)));
}

// A body may end anywhere; no prefix of an object may pass, and none may be read beyond its end.
TEST(Reader, RefusesEveryPrefix) {
  const std::string_view whole = kOdd.substr(0, kOdd.size() - 1);
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::vector<char> exact(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(accepts({exact.data(), exact.size()})) << cut;
  }
  EXPECT_TRUE(accepts(whole));
}

// The word-wise scan must find a special byte wherever it stands, next to any neighbour.
TEST(Reader, FindsTheEndOfStringsAtEveryOffset) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (const char filler :
         {'a', '\x20', '\x21', '\x23', '\x5B', '\x5D', '\x7F', '\x80', '\xFF'}) {
      const std::string run(before, filler);
      const std::string good = fmt::format("\"{0}\",\"{0}\"", run);
      Reader reader(good);
      EXPECT_EQ(reader.read_string(), run);
      EXPECT_EQ(reader.offset(), before + 2);
      EXPECT_TRUE(accepts(fmt::format("\"{0}\\n{0}\"", run)));
      EXPECT_FALSE(accepts(fmt::format("\"{0}\x1F{0}\"", run)));
      EXPECT_FALSE(accepts(fmt::format("\"{0}{1}{0}\"", run, '\0')));
      EXPECT_FALSE(accepts(fmt::format("\"{0}\\{0}", run)));
    }
  }
}

// Depth is bounded alike whether containers are skipped or entered, and costs no stack.
TEST(Reader, BoundsTheDepth) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(accepts(nested(Reader::kDepthMax)));
  EXPECT_FALSE(accepts(nested(Reader::kDepthMax + 1)));
  EXPECT_FALSE(accepts(std::string(200'000, '[')));
  std::string objects;
  for (std::size_t i = 0; i < Reader::kDepthMax; ++i) objects += "{\"a\":";
  EXPECT_FALSE(accepts(objects + "{}" + std::string(Reader::kDepthMax, '}')));
  EXPECT_TRUE(accepts(objects + "1" + std::string(Reader::kDepthMax, '}')));

  const std::string deep = nested(Reader::kDepthMax + 1);
  Reader entering(deep);
  for (std::size_t i = 0; i < Reader::kDepthMax; ++i) {
    EXPECT_TRUE(entering.enter_array());
    EXPECT_TRUE(entering.next_element());
  }
  EXPECT_FALSE(entering.enter_array());
  EXPECT_FALSE(entering.ok());

  const std::string half = "[" + nested(Reader::kDepthMax) + "]";
  Reader skipping(half);
  EXPECT_TRUE(skipping.enter_array());
  EXPECT_TRUE(skipping.next_element());
  EXPECT_TRUE(skipping.skip_value().empty());
  EXPECT_FALSE(skipping.ok());
}

// The reason for the pull shape: nested members in the same pass, with their bytes in the text.
TEST(Reader, YieldsNestedMembersInOnePass) {
  constexpr std::string_view kText =
      "{\"x\":{\"model\":\"decoy\"}, \"list\" : [ 1, {\"in\" : [ ]} ,\"s\"] ,\"mod\\u0065l\" "
      ":\"a\\\"b\"}";
  Reader reader(kText);
  std::string_view key;
  std::vector<std::string_view> elements;
  std::string_view model;
  ASSERT_EQ(reader.peek(), Kind::kObject);
  ASSERT_TRUE(reader.enter_object());
  while (reader.next_key(key)) {
    if (equals(key, "list")) {
      reader.enter_array();
      while (reader.next_element()) elements.push_back(reader.skip_value());
    } else if (equals(key, "model")) {
      model = reader.read_string();
    } else {
      reader.skip_value();
    }
  }
  EXPECT_TRUE(reader.finish());
  EXPECT_EQ(elements, (std::vector<std::string_view>{"1", "{\"in\" : [ ]}", "\"s\""}));
  EXPECT_EQ(model, "a\\\"b");
  EXPECT_EQ(model.data(), kText.data() + kText.find("a\\\"b"));
}

TEST(Reader, TellsKindsByTheFirstByte) {
  const std::vector<std::pair<std::string_view, Kind>> kinds{
      {"{", Kind::kObject}, {"[", Kind::kArray},   {"\"", Kind::kString}, {" -", Kind::kNumber},
      {"7", Kind::kNumber}, {"t", Kind::kTrue},    {"f", Kind::kFalse},   {"n", Kind::kNull},
      {"", Kind::kInvalid}, {"]", Kind::kInvalid}, {"x", Kind::kInvalid}};
  for (const auto& [text, kind] : kinds) EXPECT_EQ(Reader(text).peek(), kind) << text;
}

// A caller may check once at the end: after an error nothing moves and nothing is yielded.
TEST(Reader, KeepsItsFirstError) {
  Reader reader("{\"a\":tru, \"b\":1}");
  std::string_view key;
  ASSERT_TRUE(reader.enter_object());
  ASSERT_TRUE(reader.next_key(key));
  EXPECT_EQ(reader.skip_value(), "");
  const std::size_t place = reader.offset();
  EXPECT_EQ(place, 5U);
  EXPECT_FALSE(reader.ok());
  EXPECT_FALSE(reader.next_key(key));
  EXPECT_FALSE(reader.enter_array());
  EXPECT_FALSE(reader.next_element());
  EXPECT_EQ(reader.read_string(), "");
  EXPECT_EQ(reader.peek(), Kind::kInvalid);
  EXPECT_FALSE(reader.finish());
  EXPECT_EQ(reader.offset(), place);
}

// Misuse of the pull calls must end in an error, not in a document that passes.
TEST(Reader, RefusesCallsThatDoNotFitTheText) {
  std::string_view key;
  Reader unread("{\"a\":1,\"b\":2}");
  unread.enter_object();
  EXPECT_TRUE(unread.next_key(key));
  EXPECT_FALSE(unread.next_key(key));  // the value was not consumed
  EXPECT_FALSE(unread.finish());

  Reader mixed("{\"a\":1}");
  mixed.enter_object();
  mixed.next_key(key);
  mixed.skip_value();
  EXPECT_FALSE(mixed.next_element());
  EXPECT_FALSE(mixed.finish());

  Reader open("[1");
  open.enter_array();
  open.next_element();
  open.skip_value();
  EXPECT_FALSE(open.finish());

  Reader outside("1");
  outside.skip_value();
  EXPECT_FALSE(outside.next_element());
  EXPECT_FALSE(outside.ok());
}

// What passes on as JSON must be UTF-8 as well.
TEST(Valid, AlsoJudgesTheEncoding) {
  EXPECT_TRUE(valid("\"\xF0\x9F\x9A\xB0\""));
  EXPECT_FALSE(valid("\"\xFF\xFE\""));
  EXPECT_FALSE(valid("\"\xC0\x80\""));      // overlong
  EXPECT_FALSE(valid("\"\xED\xA0\x80\""));  // a surrogate
  EXPECT_FALSE(valid("\"\xF0\x9F\x9A\""));  // cut
  EXPECT_FALSE(valid("\"\xF4\x90\x80\x80\""));
  EXPECT_TRUE(valid_utf8(""));
}

}  // namespace
}  // namespace penstock::json
