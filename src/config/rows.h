#pragma once

#include <string>
#include <string_view>

#include "base/field_type.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace penstock::config {

// The row of that key, or null.
[[nodiscard]] const Row* find_row(const TypeInfo& type, std::string_view key);

// The problem of a key that has no row: not in this version, or unknown, with the nearest that is.
// path: of the section it stands in.
[[nodiscard]] Problem unknown_key(const Member& member, const TypeInfo& type,
                                  const std::string& path);

}  // namespace penstock::config
