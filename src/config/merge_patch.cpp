#include "config/merge_patch.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

void merge_member(Node& target, const Member& change) {
  const auto at = std::ranges::find(target.members, change.key, &Member::key);
  const bool present = at != target.members.end();
  if (change.value.kind == NodeKind::kNull) {
    if (present) target.members.erase(at);
    return;
  }
  Member& member = present ? *at
                           : target.members.emplace_back(
                                 Member{.key = change.key, .mark = change.mark, .value = Node()});
  if (change.value.kind != NodeKind::kMap) member.mark = change.mark;
  merge_patch(member.value, change.value);
}

}  // namespace

void merge_patch(Node& target, const Node& patch) {
  if (patch.kind != NodeKind::kMap) {
    target = patch;
    return;
  }
  if (target.kind != NodeKind::kMap) {
    target = Node();
    target.kind = NodeKind::kMap;
    target.mark = patch.mark;
  }
  for (const Member& change : patch.members) merge_member(target, change);
}

void drop_empty(Node& node) {
  for (Member& member : node.members) drop_empty(member.value);
  std::erase_if(node.members, [](const Member& member) {
    return member.value.kind == NodeKind::kMap && member.value.members.empty();
  });
}

std::size_t count_values(const Node& patch) {
  if (patch.kind == NodeKind::kNull) return 0;
  if (patch.kind != NodeKind::kMap) return 1;
  std::size_t count = 0;
  for (const Member& member : patch.members) count += count_values(member.value);
  return count;
}

}  // namespace penstock::config
