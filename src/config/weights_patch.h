#pragma once

#include <vector>

#include "config/config.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

// A model's targets are a list, and a merge patch can only replace a list as a whole. Their weights
// are changed by name instead: {"models": {M: {"weights": {PROVIDER: n}}}}.
namespace penstock::config {

// Cuts the weights out of a patch.
// result: a patch of its own: models by name, in each weights by provider; null where the patch
//         gives everything below back to the file.
[[nodiscard]] Node take_weights(Node& patch);

// Adds a problem for each provider that is no target of its model.
void check_weights(const Node& weights, const Config& config, std::vector<Problem>& problems);

// Writes weights, free of nulls, into the targets of a config's tree.
void lay_weights(Node& tree, const Node& weights);

}  // namespace penstock::config
