#include "config/weights_patch.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "config/config.h"
#include "config/models_config.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/scalar.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

constexpr std::string_view kWeights = "weights";

Node* child(Node& map, std::string_view key) {
  const auto at = std::ranges::find(map.members, key, &Member::key);
  return at == map.members.end() ? nullptr : &at->value;
}

void set_weight(Node& target, const Node& weight) {
  const auto at = std::ranges::find(target.members, "weight", &Member::key);
  if (at == target.members.end()) {
    target.members.push_back({.key = "weight", .mark = weight.mark, .value = weight});
    return;
  }
  at->mark = weight.mark;
  at->value = weight;
}

}  // namespace

Node take_weights(Node& patch) {
  Node weights;
  Node* const models = child(patch, "models");
  if (models != nullptr && models->kind == NodeKind::kNull) return weights;
  weights.kind = NodeKind::kMap;
  if (models == nullptr) return weights;
  for (Member& model : models->members) {
    const auto at = std::ranges::find(model.value.members, kWeights, &Member::key);
    if (at != model.value.members.end()) {
      weights.members.push_back({.key = model.key, .mark = {}, .value = std::move(at->value)});
      model.value.members.erase(at);
    } else if (model.value.kind == NodeKind::kNull) {
      weights.members.push_back({.key = model.key, .mark = {}, .value = Node()});
    }
  }
  return weights;
}

void check_weights(const Node& weights, const Config& config, std::vector<Problem>& problems) {
  for (const Member& model : weights.members) {
    const ModelConfig* known = config.models.find(model.key);
    if (known == nullptr || model.value.kind == NodeKind::kNull) continue;
    const std::string path = path_of(path_of("models", model.key), kWeights);
    if (model.value.kind != NodeKind::kMap) {
      problems.push_back({{}, fmt::format("{}: must be a section with keys", path), ""});
      continue;
    }
    std::vector<std::string_view> providers;
    for (const TargetConfig& target : known->targets) providers.push_back(target.provider);
    for (const Member& weight : model.value.members) {
      if (std::ranges::find(providers, weight.key) != providers.end()) continue;
      problems.push_back(
          {{},
           fmt::format("{}: unknown provider {} among its targets", path, quoted(weight.key)),
           did_you_mean(weight.key, providers)});
    }
  }
}

void lay_weights(Node& tree, const Node& weights) {
  Node* const models = child(tree, "models");
  if (models == nullptr) return;
  for (const Member& by_provider : weights.members) {
    Node* const model = child(*models, by_provider.key);
    Node* const targets = model == nullptr ? nullptr : child(*model, "targets");
    if (targets == nullptr) continue;
    for (Node& target : targets->items) {
      const Node* const provider = child(target, "provider");
      if (provider == nullptr) continue;
      if (const Member* weight = find(by_provider.value, provider->text))
        set_weight(target, weight->value);
    }
  }
}

}  // namespace penstock::config
