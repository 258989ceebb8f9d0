#include "config/yaml_tree.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "config/problem.h"

namespace penstock::config {
namespace {

TEST(YamlTree, KeepsOrderStyleAndPlaces) {
  const Tree tree = parse_yaml("version: 1\nlisten: { data: \"x\", l: [ a, {b: c} ] }\n");
  EXPECT_TRUE(tree.problems.empty());
  ASSERT_EQ(tree.root.kind, NodeKind::kMap);
  ASSERT_EQ(tree.root.members.size(), 2U);
  EXPECT_EQ(tree.root.members[0].key, "version");
  EXPECT_EQ(tree.root.members[0].value.mark, (Mark{1, 10}));
  EXPECT_EQ(tree.root.members[0].value.style, Style::kPlain);
  const Member* data = find(tree.root.members[1].value, "data");
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->mark, (Mark{2, 11}));
  EXPECT_EQ(data->value.style, Style::kQuoted);
  const Member* list = find(tree.root.members[1].value, "l");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->value.items.size(), 2U);
  EXPECT_EQ(list->value.items[1].members.at(0).key, "b");
}

// The parser itself lets the second one pass and answers with the first.
TEST(YamlTree, RefusesDuplicateKeysAtTheSecond) {
  const Tree tree = parse_yaml("a: 1\nb: {x: 1, x: 2}\na: 3\n");
  EXPECT_EQ(tree.completeness, Completeness::kWhole);
  ASSERT_EQ(tree.problems.size(), 2U);
  EXPECT_EQ(tree.problems[0].mark, (Mark{2, 11}));
  EXPECT_EQ(tree.problems[1].mark, (Mark{3, 1}));
  EXPECT_NE(tree.problems[1].hint.find("line 1"), std::string::npos);
  EXPECT_EQ(find(tree.root, "a")->value.text, "1");
}

// The null of `key:` is said to stand on the next line, where nobody would look for it.
TEST(YamlTree, PlacesAnEmptyValueAtItsKey) {
  const Tree tree = parse_yaml("a:\n\nb: 1\n");
  ASSERT_EQ(tree.root.members.size(), 2U);
  EXPECT_EQ(tree.root.members[0].value.kind, NodeKind::kNull);
  EXPECT_EQ(tree.root.members[0].value.mark, (Mark{1, 1}));
}

// An alias bomb costs nothing when there are no aliases.
TEST(YamlTree, RefusesAnchorsAliasesMergeAndTags) {
  const Tree tree = parse_yaml("a: &x 1\nb: *x\nc: !!str 5\n");
  EXPECT_EQ(tree.problems.size(), 3U);
  const Tree merge = parse_yaml("a: {b: 1}\n<<: {c: 2}\n");
  EXPECT_NE(find(merge.root, "<<"), nullptr);  // a key like any other: unknown
}

TEST(YamlTree, RefusesKeysThatAreNoWords) {
  EXPECT_EQ(parse_yaml("? {x: y}\n: 2\n").problems.size(), 1U);
  EXPECT_EQ(parse_yaml("? [a]\n: 2\n").problems.size(), 1U);
  EXPECT_EQ(parse_yaml("~: 2\n").problems.size(), 1U);
}

TEST(YamlTree, BrokenSyntaxHasAPlace) {
  for (const char* text : {"listen: [\n", "a: b: c\n", "a: \"x\n", "a: \"x\\\"\n", "a: 'x''\n",
                           "é: \"x", "a:\tb\n\tc: d\n", "{a: 1", "]", "--- 1\n--- 2\n"}) {
    const Tree tree = parse_yaml(text);
    EXPECT_EQ(tree.completeness, Completeness::kBroken) << text;
    ASSERT_EQ(tree.problems.size(), 1U) << text;
    EXPECT_GE(tree.problems[0].mark.line, 1U) << text;
    EXPECT_GE(tree.problems[0].mark.column, 1U) << text;
  }
}

TEST(YamlTree, QuotesMayHoldQuotes) {
  for (const char* text :
       {"a: \"x\\\"\"\n", "a: 'x'''\n", "é: \"é\" # \"\n", "a: ''", "\"a\": b\n"})
    EXPECT_TRUE(parse_yaml(text).problems.empty()) << text;
}

// The parser would recurse once a level.
TEST(YamlTree, DepthIsCapped) {
  const std::string at = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(parse_yaml(at).problems.empty());
  const std::string beyond = std::string(65, '[') + std::string(65, ']');
  EXPECT_EQ(parse_yaml(beyond).completeness, Completeness::kBroken);
  EXPECT_EQ(parse_yaml(std::string(10'000, '[')).completeness, Completeness::kBroken);
  std::string maps;
  for (int i = 0; i < 1000; ++i) maps += "{a: ";
  EXPECT_EQ(parse_yaml(maps).completeness, Completeness::kBroken);
}

TEST(YamlTree, SizeIsCapped) {
  EXPECT_TRUE(parse_yaml("# " + std::string(kFileBytesMax - 2, 'x')).problems.empty());
  EXPECT_EQ(parse_yaml(std::string(kFileBytesMax + 1, '\n')).completeness, Completeness::kBroken);
}

// A NUL would silently end the file, UTF-16 and stray bytes would be guessed at.
TEST(YamlTree, RefusesWhatIsNotUtf8Text) {
  using namespace std::string_literals;
  for (const std::string& text : {"a: 1\nb: \0 2"s, "a: \xff"s,
                                  "\xff\xfe"
                                  "a"s,
                                  "a: \x1b[2J"s, "a: \xed\xa0\x80"s}) {
    EXPECT_EQ(parse_yaml(text).completeness, Completeness::kBroken) << text;
  }
  EXPECT_EQ(parse_yaml("a: 1\nb: \0 2"s).problems.at(0).mark, (Mark{2, 4}));
  EXPECT_TRUE(parse_yaml("\xef\xbb\xbf"
                         "a: caf\xc3\xa9\r\n")
                  .problems.empty());
}

// JSON is YAML; the check kit and many tools write it.
TEST(YamlTree, ReadsJson) {
  const Tree tree =
      parse_yaml("{\"a\": \"http:\\/\\/x\",\n \"n\": null, \"b\": {\"c\": [1, true]}}\n");
  EXPECT_TRUE(tree.problems.empty());
  EXPECT_EQ(find(tree.root, "a")->value.text, "http://x");
  EXPECT_EQ(find(tree.root, "n")->value.kind, NodeKind::kNull);
}

TEST(YamlTree, AnEmptyFileIsNull) {
  EXPECT_EQ(parse_yaml("").root.kind, NodeKind::kNull);
  EXPECT_EQ(parse_yaml("# nothing\n").root.kind, NodeKind::kNull);
}

// No prefix of a good file may crash or hang the reader.
TEST(YamlTree, EveryCutIsSurvived) {
  const std::string whole =
      "version: 1\nlisten: { data: '127.0.0.1:0', l: [ a, \"b\\u00e9\" ] }\nx:\n  - y: |\n      "
      "z\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    const Tree tree = parse_yaml(whole.substr(0, cut));
    EXPECT_LE(tree.problems.size(), 1U) << cut;
  }
}

}  // namespace
}  // namespace penstock::config
