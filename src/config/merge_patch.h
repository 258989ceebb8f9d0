#pragma once

#include <cstddef>

#include "config/yaml_tree.h"

namespace penstock::config {

// Lays `patch` over `target` as a JSON merge patch: sections are merged key by key, null removes a
// key, anything else replaces what stood there. Replaced values have the patch's places.
// source: RFC 7396 section 2.
void merge_patch(Node& target, const Node& patch);

// Removes sections in which nothing is left, from within outwards.
void drop_empty(Node& node);

// How many values a patch holds, sections not counted.
[[nodiscard]] std::size_t count_values(const Node& patch);

}  // namespace penstock::config
