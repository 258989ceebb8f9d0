#include "fleet/route.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/result.h"
#include "base/rng.h"
#include "control/weighted_pick.h"
#include "fleet/provider.h"

namespace penstock::fleet {

Result<std::size_t> pick_target(const std::vector<Target>& targets,
                                const std::vector<Provider>& providers, std::string_view only,
                                Rng& rng) {
  const auto eligible = [&](const Target& target) {
    return only.empty() || providers[target.provider].name == only;
  };
  if (!only.empty() && std::ranges::none_of(targets, eligible))
    return fail(ErrorCode::kModelNotFound, "The provider asked for does not serve this model.");
  const std::optional<std::size_t> drawn = control::weighted_pick(
      targets, [&](const Target& target) { return eligible(target) ? target.weight : 0U; }, rng);
  if (!drawn && !only.empty())
    return fail(ErrorCode::kNoReplica, "The provider asked for has weight 0 for this model.");
  if (!drawn) return fail(ErrorCode::kNoReplica, "Every target of this model has weight 0.");
  return *drawn;
}

Result<std::size_t> pick_replica(const Provider& provider, Rng& rng) {
  if (provider.replicas.size() == 1) return std::size_t{0};
  const std::optional<std::size_t> drawn = control::weighted_pick(
      provider.replicas, [](const Replica& replica) { return replica.weight; }, rng);
  if (!drawn) return fail(ErrorCode::kNoReplica);
  return *drawn;
}

}  // namespace penstock::fleet
