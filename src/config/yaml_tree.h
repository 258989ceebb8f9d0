#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"

namespace penstock::config {

inline constexpr std::size_t kFileBytesMax = std::size_t{4} << 20;
inline constexpr std::size_t kDepthMax = 64;

enum class NodeKind : std::uint8_t { kNull, kScalar, kList, kMap };
enum class Style : std::uint8_t { kPlain, kQuoted };

struct Member;

// One node of a YAML document, with its place. Scalars are texts; what they mean is decided by
// whoever knows the type that is wanted.
struct Node {
  NodeKind kind = NodeKind::kNull;
  Style style = Style::kPlain;
  Mark mark;
  std::string text;             // kScalar
  std::vector<Node> items;      // kList
  std::vector<Member> members;  // kMap, in the order of the file, keys unique
};

struct Member {
  std::string key;
  Mark mark;  // of the key
  Node value;
};

enum class Completeness : std::uint8_t {
  kWhole,
  kBroken,  // the root is not to be judged: part of the file was not read
};

struct Tree {
  Node root;  // kNull for an empty file
  Completeness completeness = Completeness::kWhole;
  std::vector<Problem> problems;
};

// Reads one YAML 1.2 document (JSON is one too).
//
// Problems, all with their place: duplicate keys (the first is kept), anchors, aliases, explicit
// tags, keys that are no scalars. Problems that leave the tree broken: syntax, a second document,
// more than kDepthMax levels, more than kFileBytesMax bytes, bytes that are not UTF-8 text.
// Never throws.
// cost: O(bytes); blocks for a second or two at the size limit.
[[nodiscard]] Tree parse_yaml(const std::string& bytes);

// The member of that name, or null.
[[nodiscard]] const Member* find(const Node& map, std::string_view key);

}  // namespace penstock::config
