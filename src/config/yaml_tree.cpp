#include "config/yaml_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "config/problem.h"
#include "json/utf8.h"

namespace penstock::config {
namespace {

// yaml-cpp counts from 0 and says -1 when it does not know.
Mark to_mark(const YAML::Mark& mark) {
  if (mark.line < 0) return {};
  return {static_cast<std::uint32_t>(mark.line) + 1, static_cast<std::uint32_t>(mark.column) + 1};
}

// Builds the tree from yaml-cpp's events. Its own node tree is not used: it lets duplicate keys
// pass, shares nodes between aliases and forgets places.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Tree& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw YAML::ParserException(mark, "a second document begins here");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    node.mark = to_mark(mark);
    // The null of `key:` is said to stand where the next token does.
    if (const Open* open = top(); open && open->key) node.mark = open->key_mark;
    place(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    complain(mark, "aliases (*name) are not supported", "write the value out");
    Node node;
    node.mark = to_mark(mark);
    place(std::move(node));
  }

  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    complain(mark, "anchors (&name) are not supported", "write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    Node node{.kind = NodeKind::kScalar,
              .mark = to_mark(mark),
              .text = value,
              .items = {},
              .members = {}};
    node.style = tag == "!" ? Style::kQuoted : Style::kPlain;
    if (node.style == Style::kQuoted) last_quoted_ = mark;
    place(std::move(node));
  }

  // Where the last quoted scalar of the document begins.
  [[nodiscard]] const std::optional<YAML::Mark>& last_quoted() const { return last_quoted_; }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(NodeKind::kList, mark, tag);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(NodeKind::kMap, mark, tag);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map whose end has not come.
  struct Open {
    Node node;
    std::optional<std::string> key;  // read, waiting for its value
    Mark key_mark;
    std::unordered_map<std::string, Mark> seen;
  };

  Open* top() { return open_.empty() ? nullptr : &open_.back(); }

  void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag) {
    check_tag(mark, tag);
    if (open_.size() >= kDepthMax)
      throw YAML::ParserException(mark, fmt::format("nested deeper than {} levels", kDepthMax));
    Open& opened = open_.emplace_back();
    opened.node.kind = kind;
    opened.node.mark = to_mark(mark);
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    place(std::move(node));
  }

  void place(Node node) {
    Open* open = top();
    if (!open) {
      tree_.root = std::move(node);
    } else if (open->node.kind == NodeKind::kList) {
      open->node.items.push_back(std::move(node));
    } else if (!open->key) {
      take_key(*open, node);
    } else {
      place_value(*open, std::move(node));
    }
  }

  void take_key(Open& open, Node& node) {
    if (node.kind != NodeKind::kScalar)
      tree_.problems.push_back({node.mark, "a key must be a word", ""});
    open.key = std::move(node.text);
    open.key_mark = node.mark;
  }

  void place_value(Open& open, Node node) {
    std::string key = *std::exchange(open.key, std::nullopt);
    const auto [first, fresh] = open.seen.try_emplace(key, open.key_mark);
    if (!fresh) {
      tree_.problems.push_back({open.key_mark, fmt::format("duplicate key {}", quoted(key)),
                                fmt::format("the first is at line {}", first->second.line)});
      return;
    }
    open.node.members.push_back({std::move(key), open.key_mark, std::move(node)});
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    // "?" is yaml-cpp's word for a plain node, "!" for a quoted scalar.
    if (!tag.empty() && tag != "?" && tag != "!") complain(mark, "tags (!name) are not supported");
  }

  void complain(const YAML::Mark& mark, std::string text, std::string hint = "") {
    tree_.problems.push_back({to_mark(mark), std::move(text), std::move(hint)});
  }

  Tree& tree_;
  std::vector<Open> open_;
  std::optional<YAML::Mark> last_quoted_;
  int documents_ = 0;
};

// yaml-cpp takes the end of the file for the closing quote of a scalar. Only the last one can be
// meant: it would have swallowed all that follows.
bool is_closed(std::string_view bytes, const YAML::Mark& opening) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const auto at = static_cast<std::size_t>(opening.pos);
  if (opening.pos < 0 || at >= bytes.size()) return true;
  const char quote = bytes[at];
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t i = at + 1; i < bytes.size(); ++i) {
    if (quote == '"' && bytes[i] == '\\') {
      ++i;
    } else if (bytes[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < bytes.size() && bytes[i + 1] == quote;
      if (!doubled) return true;
      ++i;
    }
  }
  return false;
}

// yaml-cpp would end the file at a NUL, read UTF-16 after a byte order mark and replace what is
// not UTF-8: such bytes are refused before it sees them.
std::optional<Problem> check_bytes(const std::string& bytes) {
  if (bytes.size() > kFileBytesMax)
    return Problem{{}, fmt::format("the file is larger than {} bytes", kFileBytesMax), ""};
  if (!json::valid_utf8(bytes)) return Problem{{}, "the file is not UTF-8 text", ""};
  Mark mark{1, 1};
  for (const char c : bytes) {
    const bool allowed =
        c == '\n' || c == '\r' || c == '\t' || static_cast<unsigned char>(c) >= 0x20;
    if (!allowed || c == 0x7f) return Problem{mark, "a control character stands here", ""};
    mark = c == '\n' ? Mark{mark.line + 1, 1} : Mark{mark.line, mark.column + 1};
  }
  return std::nullopt;
}

}  // namespace

Tree parse_yaml(const std::string& bytes) {
  Tree tree;
  if (std::optional<Problem> problem = check_bytes(bytes)) {
    tree.completeness = Completeness::kBroken;
    tree.problems.push_back(*std::move(problem));
    return tree;
  }
  TreeBuilder builder(tree);
  try {
    std::istringstream stream(bytes);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
    if (builder.last_quoted() && !is_closed(bytes, *builder.last_quoted()))
      throw YAML::ParserException(*builder.last_quoted(), "a quote is not closed");
  } catch (const YAML::Exception& error) {
    tree.completeness = Completeness::kBroken;
    const std::string what = error.msg == "bad file" ? "not understood as YAML" : error.msg;
    tree.problems.push_back({to_mark(error.mark), fmt::format("broken YAML: {}", what), ""});
  }
  return tree;
}

const Member* find(const Node& map, std::string_view key) {
  const auto at = std::ranges::find(map.members, key, &Member::key);
  return at == map.members.end() ? nullptr : &*at;
}

}  // namespace penstock::config
