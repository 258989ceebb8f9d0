#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "fleet/provider.h"

namespace penstock::fleet {

// Where requests for a model may go.
struct Target {
  std::size_t provider = 0;  // index into the fleet
  std::string model;         // the provider's own name for it
  std::uint32_t weight = 1;
};

// Draws a target by weight; only those of `only` when it names a provider.
// errors: kModelNotFound when `only` is none of the model's providers; kNoReplica when nothing has
// any weight.
[[nodiscard]] Result<std::size_t> pick_target(const std::vector<Target>& targets,
                                              const std::vector<Provider>& providers,
                                              std::string_view only, Rng& rng);

// Draws a replica by weight. errors: kNoReplica.
[[nodiscard]] Result<std::size_t> pick_replica(const Provider& provider, Rng& rng);

}  // namespace penstock::fleet
