#include "config/merge_patch.h"

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "config/json_tree.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

std::string text_of(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::kNull: return "null";
    case NodeKind::kScalar:
      return node.style == Style::kQuoted ? "\"" + node.text + "\"" : node.text;
    case NodeKind::kList:
      for (const Node& item : node.items) text += (text.empty() ? "" : ",") + text_of(item);
      return "[" + text + "]";
    case NodeKind::kMap:
      for (const Member& member : node.members)
        text += (text.empty() ? "\"" : ",\"") + member.key + "\":" + text_of(member.value);
      return "{" + text + "}";
  }
  return text;
}

std::string merged(std::string_view target, std::string_view patch) {
  Node node = parse_json(target).root;
  merge_patch(node, parse_json(patch).root);
  return text_of(node);
}

// The examples of RFC 7396, appendix A.
TEST(MergePatch, DoesWhatTheStandardShows) {
  struct Example {
    std::string_view target, patch, result;
  };
  constexpr std::array kExamples{
      Example{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      Example{R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      Example{R"({"a":"b"})", R"({"a":null})", R"({})"},
      Example{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      Example{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      Example{R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      Example{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      Example{R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      Example{R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
      Example{R"({"a":"b"})", R"(["c"])", R"(["c"])"},
      Example{R"({"a":"foo"})", R"(null)", R"(null)"},
      Example{R"({"a":"foo"})", R"("bar")", R"("bar")"},
      Example{R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      Example{R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
      Example{R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
  };
  for (const Example& example : kExamples)
    EXPECT_EQ(merged(example.target, example.patch), example.result)
        << example.target << " + " << example.patch;
}

TEST(MergePatch, DropsWhatIsEmptyFromWithin) {
  Node node = parse_json(R"({"a":{"b":{"c":{}}},"d":{"e":1,"f":{}},"g":[]})").root;
  drop_empty(node);
  EXPECT_EQ(text_of(node), R"({"d":{"e":1},"g":[]})");
}

// What a change wrote is known by having no place; what it left keeps its own.
TEST(MergePatch, MarksWhatItReplaced) {
  Node node = parse_yaml("retry:\n  budget: 10%\n  attempts_max: 3\n").root;
  merge_patch(node, parse_json(R"({"retry":{"budget":"0%"}})").root);
  const Member* retry = find(node, "retry");
  ASSERT_NE(retry, nullptr);
  EXPECT_EQ(retry->mark.line, 1U);
  EXPECT_EQ(find(retry->value, "budget")->mark.line, 0U);
  EXPECT_EQ(find(retry->value, "attempts_max")->mark.line, 3U);
}

}  // namespace
}  // namespace penstock::config
