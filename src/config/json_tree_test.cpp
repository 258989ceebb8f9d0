#include "config/json_tree.h"

#include <string>

#include <gtest/gtest.h>

#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

TEST(JsonTree, ReadsEveryKindOfValue) {
  const Tree tree = parse_json(R"({"a":{"b":"1\u0030s","c":[1,true,null]},"d":-2.5})");
  ASSERT_EQ(tree.completeness, Completeness::kWhole);
  ASSERT_TRUE(tree.problems.empty());
  const Member* a = find(tree.root, "a");
  ASSERT_NE(a, nullptr);
  const Member* b = find(a->value, "b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->value.text, "10s");
  EXPECT_EQ(b->value.style, Style::kQuoted);
  const Member* c = find(a->value, "c");
  ASSERT_NE(c, nullptr);
  ASSERT_EQ(c->value.items.size(), 3U);
  EXPECT_EQ(c->value.items[0].style, Style::kPlain);
  EXPECT_EQ(c->value.items[1].text, "true");
  EXPECT_EQ(c->value.items[2].kind, NodeKind::kNull);
  EXPECT_EQ(find(tree.root, "d")->value.text, "-2.5");
  EXPECT_EQ(a->mark.line, 0U);  // a change has no place in the file
}

// YAML would take some of these; a body that says it is JSON is held to that.
TEST(JsonTree, RefusesWhatIsNotOneDocument) {
  for (const char* text : {"", "{broken", "{a: 1}", "{\"a\":1,}", "{} {}", "[1", "nul", "\xff"})
    EXPECT_EQ(parse_json(text).completeness, Completeness::kBroken) << text;
}

TEST(JsonTree, BoundsItsDepth) {
  const std::string fine = std::string(kDepthMax - 1, '[') + std::string(kDepthMax - 1, ']');
  const std::string deep = std::string(kDepthMax, '[') + "1" + std::string(kDepthMax, ']');
  EXPECT_EQ(parse_json(fine).completeness, Completeness::kWhole);
  EXPECT_EQ(parse_json(deep).completeness, Completeness::kBroken);
  EXPECT_EQ(parse_json(std::string(100'000, '[')).completeness, Completeness::kBroken);
}

TEST(JsonTree, TellsARepeatedKey) {
  const Tree tree = parse_json(R"({"a":1,"\u0061":2})");
  EXPECT_EQ(tree.problems.size(), 1U);
  EXPECT_EQ(find(tree.root, "a")->value.text, "1");
}

}  // namespace
}  // namespace penstock::config
