#include "config/live_fields.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/field.h"
#include "base/field_type.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/rows.h"
#include "config/scalar.h"
#include "config/value_text.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

class LiveChecker {
 public:
  explicit LiveChecker(std::vector<Problem>& problems) : problems_(problems) {}

  void section(const Node& node, const TypeInfo& type, const void* value, const std::string& path) {
    for (const Member& member : node.members) {
      const Row* row = find_row(type, member.key);
      if (row == nullptr)
        problems_.push_back(unknown_key(member, type, path));
      else
        entry(member.value, *row, *row->type, row->get(value), path_of(path, row->key));
    }
  }

 private:
  void entry(const Node& node, const Row& row, const TypeInfo& type, const void* value,
             const std::string& path) {
    const TypeInfo& inner = type.kind == Kind::kOptional ? *type.element : type;
    if (inner.kind == Kind::kStruct) {
      const bool set = type.kind != Kind::kOptional || type.size(value) != 0;
      const void* section_value = type.kind != Kind::kOptional ? value
                                  : set                        ? type.at(value, 0)
                                                               : inner.defaults();
      return section(node, inner, section_value, path);
    }
    if (type.kind == Kind::kNamed) return named(node, type, value, path);
    // A merge patch replaces a list as a whole, which would lose sight of what runs by its items.
    const bool sections = type.kind == Kind::kList && !is_scalar(type.element->kind);
    if (sections || row.reload != Reload::kLive)
      problems_.push_back(
          {{}, fmt::format("{}: takes effect at a restart only", path), "change it in the file"});
  }

  void named(const Node& node, const TypeInfo& type, const void* value, const std::string& path) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < type.size(value); ++i) names.push_back(type.name_at(value, i));
    for (const Member& member : node.members) {
      const auto at = std::ranges::find(names, member.key);
      if (at == names.end()) {
        problems_.push_back({{},
                             fmt::format("unknown name {} in {}", quoted(member.key), path),
                             did_you_mean(member.key, names)});
        continue;
      }
      const auto index = static_cast<std::size_t>(at - names.begin());
      if (type.element->kind == Kind::kStruct)
        section(member.value, *type.element, type.at(value, index), path_of(path, member.key));
    }
  }

  std::vector<Problem>& problems_;
};

}  // namespace

void check_live(const Node& patch, const TypeInfo& type, const void* current,
                std::vector<Problem>& problems) {
  LiveChecker(problems).section(patch, type, current, "");
}

}  // namespace penstock::config
