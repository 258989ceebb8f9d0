#include "config/live_config.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/field.h"
#include "base/result.h"
#include "config/json_tree.h"
#include "config/live_fields.h"
#include "config/load.h"
#include "config/merge_patch.h"
#include "config/problem.h"
#include "config/table.h"
#include "config/values.h"
#include "config/weights_patch.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

constexpr std::size_t kToldMax = 20;

// What is wrong with a patch has no place; what it makes wrong in the file has one.
std::unexpected<Error> refused(const std::vector<Problem>& problems, std::string_view file) {
  std::string text;
  for (std::size_t i = 0; i < std::min(problems.size(), kToldMax); ++i) {
    if (i != 0) text += "; ";
    text += render(problems[i], problems[i].mark.line == 0 ? "patch" : file);
  }
  if (problems.size() > kToldMax) text += fmt::format("; and {} more", problems.size() - kToldMax);
  return fail(ErrorCode::kInvalidRequest, std::move(text));
}

}  // namespace

LiveConfig::LiveConfig(LoadResult loaded) : file_(loaded.tree), current_(std::move(loaded)) {}

Result<LiveConfig::Draft> LiveConfig::draft(std::string_view merge_patch) const {
  Tree given = parse_json(merge_patch);
  if (given.completeness == Completeness::kBroken)
    return fail(ErrorCode::kInvalidJson, render(given.problems.front(), "patch"));
  std::vector<Problem> problems = std::move(given.problems);
  if (given.root.kind != NodeKind::kMap)
    problems.push_back({{}, "a merge patch is an object in the shape of the file", ""});
  const Node weights = take_weights(given.root);
  check_live(given.root, config_type(), &current_.config, problems);
  check_weights(weights, current_.config, problems);
  if (!problems.empty()) return refused(problems, current_.file);

  Draft draft{.loaded = {}, .file = file_, .changes = {}, .patch = patch_, .weights = weights_};
  config::merge_patch(draft.patch, given.root);
  config::merge_patch(draft.weights, weights);
  drop_empty(draft.patch);
  return judged(std::move(draft));
}

Result<LiveConfig::Draft> LiveConfig::reload(LoadResult fresh) const {
  if (!fresh.ok()) return refused(fresh.problems, current_.file);
  PENSTOCK_TRY(Draft draft, judged({.loaded = {},
                                    .file = std::move(fresh.tree),
                                    .changes = {},
                                    .patch = patch_,
                                    .weights = weights_}));
  std::vector<Problem> problems;
  for (const ChangedValue& change : draft.changes) {
    if (change.reload != Reload::kRestart) continue;
    problems.push_back({draft.loaded.origins.nearest(change.path),
                        fmt::format("{}: takes effect at a restart only", change.path), ""});
  }
  if (!problems.empty()) return refused(problems, current_.file);
  return draft;
}

Result<LiveConfig::Draft> LiveConfig::judged(Draft draft) const {
  Node tree = draft.file;
  if (draft.patch.kind == NodeKind::kMap) config::merge_patch(tree, draft.patch);
  lay_weights(tree, draft.weights);
  draft.loaded = judge(current_.file, std::move(tree));
  if (!draft.loaded.ok()) return refused(draft.loaded.problems, current_.file);
  draft.changes = changes(current_.config, draft.loaded.config);
  return draft;
}

void LiveConfig::take(Draft draft) {
  file_ = std::move(draft.file);
  patch_ = std::move(draft.patch);
  weights_ = std::move(draft.weights);
  current_ = std::move(draft.loaded);
}

}  // namespace penstock::config
