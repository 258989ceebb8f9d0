#include "gateway/access.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/target.h"
#include "gateway/request_scope.h"
#include "gateway/route.h"
#include "gateway/snapshot.h"
#include "policy/glob.h"

namespace penstock::gateway {

std::string_view name(Barred barred) noexcept {
  switch (barred) {
    case Barred::kNo: return {};
    case Barred::kModels: return "models";
    case Barred::kTiers: return "tiers";
    case Barred::kProviders: return "providers";
  }
  return {};
}

Barred Access::provider(std::size_t index) const noexcept {
  if (!snapshot_.providers[index].tiers.has(tier_)) return Barred::kTiers;
  const bool all = workload_ == nullptr || workload_->providers.empty();
  return all || workload_->providers[index] ? Barred::kNo : Barred::kProviders;
}

Barred Access::asked(std::string_view name) const noexcept {
  if (workload_ == nullptr || workload_->models.empty()) return Barred::kNo;
  const auto allows = [name](const policy::Glob& glob) { return glob.matches(name); };
  return std::ranges::any_of(workload_->models, allows) ? Barred::kNo : Barred::kModels;
}

Barred Access::model(const Model& model) const noexcept {
  if (const Barred barred = asked(model.name); barred != Barred::kNo) return barred;
  if (!model.tiers.has(tier_)) return Barred::kTiers;
  Barred barred = Barred::kNo;
  for (const fleet::Target& target : model.targets) {
    barred = provider(target.provider);
    if (barred == Barred::kNo) return barred;
  }
  return barred;
}

std::vector<std::string_view> Access::models() const {
  std::vector<std::string_view> names;
  for (const std::string& name : snapshot_.model_names)
    if (model(snapshot_.models.find(name)->second) == Barred::kNo) names.emplace_back(name);
  return names;
}

Access access_of(const RequestScope& scope) noexcept {
  return {*scope.snapshot, scope.caller.workload, scope.principal.tier};
}

void keep_allowed(Route& route, const Access& access) {
  const auto allowed = [&](const fleet::Target& target) {
    return access.provider(target.provider) == Barred::kNo;
  };
  if (std::ranges::all_of(route.targets(), allowed)) return;
  Route kept{.model = route.model, .chosen_by = route.chosen_by, .narrowed = true};
  for (const fleet::Target& target : route.targets())
    if (allowed(target)) kept.keep(target);
  route = kept;
}

}  // namespace penstock::gateway
