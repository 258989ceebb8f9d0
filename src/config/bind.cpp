#include "config/bind.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/field.h"
#include "base/field_type.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/rows.h"
#include "config/scalar.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

// What is bound at one place of the tree.
struct Slot {
  const TypeInfo& type;
  const Rule& rule;
  void* value;
  const std::string& path;
};

class Binder {
 public:
  Binder(std::string_view folder, Origins& origins, std::vector<Problem>& problems)
      : folder_(folder), origins_(origins), problems_(problems) {}

  void value(const Node& node, const Slot& slot) {
    switch (slot.type.kind) {
      case Kind::kStruct: return structure(node, slot);
      case Kind::kNamed: return named(node, slot);
      case Kind::kList: return list(node, slot);
      case Kind::kOptional: return optional(node, slot);
      case Kind::kBool:
      case Kind::kCount:
      case Kind::kDuration:
      case Kind::kBytes:
      case Kind::kRatio:
      case Kind::kPerTime:
      case Kind::kTime:
      case Kind::kEnum:
      case Kind::kText:
      case Kind::kSecret: return scalar(node, slot);
    }
  }

 private:
  void scalar(const Node& node, const Slot& slot) {
    if (node.kind == NodeKind::kNull) return complain(node.mark, slot.path, "has no value");
    if (node.kind != NodeKind::kScalar) return complain(node.mark, slot.path, "must be one value");
    ScalarFault fault = read_scalar(node, slot.type, slot.rule, folder_, slot.value);
    if (!fault.text.empty()) complain(node.mark, slot.path, fault.text, std::move(fault.hint));
  }

  void optional(const Node& node, const Slot& slot) {
    const bool absent = node.kind == NodeKind::kScalar && !slot.rule.absent_word.empty() &&
                        node.text == slot.rule.absent_word;
    if (absent) return slot.type.clear(slot.value);
    const Slot inner{*slot.type.element, slot.rule, slot.type.add(slot.value, ""), slot.path};
    value(node, inner);
  }

  // What is written replaces the default as a whole.
  void list(const Node& node, const Slot& slot) {
    if (node.kind != NodeKind::kNull && node.kind != NodeKind::kList)
      return complain(node.mark, slot.path, "must be a list");
    slot.type.clear(slot.value);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string path = path_of(slot.path, i);
      origins_.add(path, {node.items[i].mark, node.items[i].mark});
      value(node.items[i], {*slot.type.element, slot.rule, slot.type.add(slot.value, ""), path});
    }
  }

  void named(const Node& node, const Slot& slot) {
    if (node.kind == NodeKind::kNull) return;
    if (node.kind != NodeKind::kMap)
      return complain(node.mark, slot.path, "must have names, each with a section");
    for (const Member& member : node.members) {
      const std::string path = path_of(slot.path, member.key);
      origins_.add(path, {member.mark, member.value.mark});
      if (slot.rule.check != nullptr) {
        const std::string_view complaint = slot.rule.check(member.key);
        if (!complaint.empty())
          complain(member.mark, slot.path,
                   fmt::format("the name {} {}", quoted(member.key), complaint));
      }
      value(member.value,
            {*slot.type.element, slot.rule, slot.type.add(slot.value, member.key), path});
    }
  }

  void structure(const Node& node, const Slot& slot) {
    const TypeInfo& type = slot.type;
    if (node.kind == NodeKind::kScalar && !type.shorthand.empty()) {
      const Row* row = find_row(type, type.shorthand);
      PENSTOCK_ASSERT(row != nullptr);
      return row_value(node, *row, node.mark, slot);
    }
    if (node.kind == NodeKind::kScalar || node.kind == NodeKind::kList)
      return complain(node.mark, slot.path, "must be a section with keys");
    for (const Member& member : node.members) {
      if (const Row* row = find_row(type, member.key))
        row_value(member.value, *row, member.mark, slot);
      else
        problems_.push_back(unknown_key(member, type, slot.path));
    }
    for (const Row& row : type.rows)
      if (row.rule.presence == Presence::kRequired && find(node, row.key) == nullptr)
        missing_key(node, row, slot);
  }

  void row_value(const Node& node, const Row& row, Mark key, const Slot& owner) {
    const std::string path = path_of(owner.path, row.key);
    origins_.add(path, {key, node.mark});
    value(node, {*row.type, row.rule, row.edit(owner.value), path});
  }

  void missing_key(const Node& node, const Row& row, const Slot& slot) {
    Mark mark = origins_.nearest(slot.path);
    if (mark.line == 0) mark = node.mark.line == 0 ? Mark{1, 1} : node.mark;
    const std::string hint =
        row.rule.example.empty() ? "" : fmt::format("such as {}: {}", row.key, row.rule.example);
    complain(mark, path_of(slot.path, row.key), "is missing", hint);
  }

  void complain(Mark mark, const std::string& path, std::string_view what, std::string hint = "") {
    const std::string_view whole = path.empty() ? "the file" : std::string_view(path);
    problems_.push_back({mark, fmt::format("{}: {}", whole, what), std::move(hint)});
  }

  std::string_view folder_;
  Origins& origins_;
  std::vector<Problem>& problems_;
};

}  // namespace

void bind_tree(const Node& root, const TypeInfo& type, void* target, std::string_view folder,
               Origins& origins, std::vector<Problem>& problems) {
  Binder binder(folder, origins, problems);
  const Rule rule = any();
  const std::string path;
  binder.value(root, {type, rule, target, path});
}

}  // namespace penstock::config
