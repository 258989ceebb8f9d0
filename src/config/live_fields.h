#pragma once

#include <vector>

#include "base/field_type.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// Adds a problem for everything that a merge patch names and that no PATCH can change: unknown keys
// and names, lists, and values whose row is not Reload::kLive. What the values may be is judged
// elsewhere, on the merged tree.
// current: the config in force, of `type`; it says which names there are.
void check_live(const Node& patch, const TypeInfo& type, const void* current,
                std::vector<Problem>& problems);

}  // namespace penstock::config
