#include "config/json_tree.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "config/problem.h"
#include "config/yaml_tree.h"
#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"

namespace penstock::config {
namespace {

class TreeReader {
 public:
  explicit TreeReader(std::string_view text, Tree& tree) : reader_(text), tree_(tree) {}

  void run() {
    tree_.root = value(0);
    if (reader_.finish() && !too_deep_) return;
    tree_.completeness = Completeness::kBroken;
    tree_.problems.push_back({{},
                              too_deep_ ? fmt::format("nested deeper than {} levels", kDepthMax)
                                        : fmt::format("broken JSON at byte {}", reader_.offset()),
                              ""});
  }

 private:
  Node value(std::size_t depth) {
    Node node;
    if (depth >= kDepthMax) {
      too_deep_ = true;
      reader_.skip_value();
      return node;
    }
    switch (reader_.peek()) {
      case json::Kind::kObject: object(node, depth); break;
      case json::Kind::kArray:
        node.kind = NodeKind::kList;
        reader_.enter_array();
        while (reader_.next_element()) node.items.push_back(value(depth + 1));
        break;
      case json::Kind::kString:
        node.kind = NodeKind::kScalar;
        node.style = Style::kQuoted;
        node.text = json::unescape(reader_.read_string());
        break;
      case json::Kind::kNumber:
      case json::Kind::kTrue:
      case json::Kind::kFalse:
        node.kind = NodeKind::kScalar;
        node.text = reader_.skip_value();
        break;
      case json::Kind::kNull:
      case json::Kind::kInvalid: reader_.skip_value(); break;
    }
    return node;
  }

  void object(Node& node, std::size_t depth) {
    node.kind = NodeKind::kMap;
    reader_.enter_object();
    std::string_view raw;
    while (reader_.next_key(raw)) {
      Member member{.key = json::unescape(raw), .mark = {}, .value = value(depth + 1)};
      if (find(node, member.key) != nullptr)
        tree_.problems.push_back({{}, fmt::format("duplicate key {}", quoted(member.key)), ""});
      else
        node.members.push_back(std::move(member));
    }
  }

  json::Reader reader_;
  Tree& tree_;
  bool too_deep_ = false;
};

}  // namespace

Tree parse_json(std::string_view text) {
  Tree tree;
  if (json::valid_utf8(text)) {
    TreeReader(text, tree).run();
    return tree;
  }
  tree.completeness = Completeness::kBroken;
  tree.problems.push_back({{}, "not UTF-8 text", ""});
  return tree;
}

}  // namespace penstock::config
