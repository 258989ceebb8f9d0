#include "config/rows.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/field_type.h"
#include "config/problem.h"
#include "config/scalar.h"
#include "config/yaml_tree.h"

namespace penstock::config {

const Row* find_row(const TypeInfo& type, std::string_view key) {
  const auto at = std::ranges::find(type.rows, key, &Row::key);
  return at == type.rows.end() ? nullptr : &*at;
}

Problem unknown_key(const Member& member, const TypeInfo& type, const std::string& path) {
  const auto& later = type.later_keys;
  if (std::ranges::find(later, member.key) != later.end())
    return {member.mark, fmt::format("{} is not in this version", quoted(member.key)), ""};
  std::vector<std::string_view> known(later.begin(), later.end());
  for (const Row& row : type.rows) known.push_back(row.key);
  const std::string in = path.empty() ? "" : fmt::format(" in {}", path);
  return {member.mark, fmt::format("unknown key {}{}", quoted(member.key), in),
          did_you_mean(member.key, known)};
}

}  // namespace penstock::config
