#pragma once

#include <array>
#include <vector>

#include "base/describe.h"
#include "base/field.h"
#include "base/principal.h"
#include "base/tier_set.h"

namespace penstock {

constexpr auto enum_names(Describe<Tier>) {
  return std::array{EnumName<Tier>{"internal", Tier::kInternal},
                    EnumName<Tier>{"external", Tier::kExternal}};
}

}  // namespace penstock

namespace penstock::config {

// YAML: providers.P.tiers, models.M.tiers
using TiersConfig = std::vector<Tier>;

[[nodiscard]] inline TiersConfig every_tier() { return {Tier::kInternal, Tier::kExternal}; }

[[nodiscard]] inline TierSet compile_tiers(const TiersConfig& config) {
  TierSet tiers = TierSet::none();
  for (const Tier tier : config) tiers.add(tier);
  return tiers;
}

}  // namespace penstock::config
