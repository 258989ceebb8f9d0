#pragma once

#include <string_view>

#include "config/yaml_tree.h"

namespace penstock::config {

// Reads one JSON document (RFC 8259, strictly) as a tree whose nodes have no place: line 0.
//
// Problems: a member that stands twice (the first is kept). Problems that leave the tree broken:
// syntax, more than kDepthMax levels, bytes that are not UTF-8.
// cost: O(bytes).
[[nodiscard]] Tree parse_json(std::string_view text);

}  // namespace penstock::config
