#include "gateway/access.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/fold_case.h"
#include "base/principal.h"
#include "base/tier_set.h"
#include "fleet/provider.h"
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

Barred Access::place(std::size_t provider, std::string_view upstream) const {
  bool closed = false;
  std::string folded;  // made once, where there is a model that is closed
  for (const auto& [name, model] : snapshot_.models)
    for (const fleet::Target& target : model.targets) {
      if (target.provider != provider) continue;
      if (model.tiers.has(tier_)) {
        if (target.model == upstream) return Barred::kNo;
      } else {
        if (folded.empty()) folded = fold_case(upstream);
        closed = closed || fold_case(target.model) == folded;
      }
    }
  return closed ? Barred::kTiers : Barred::kNo;
}

Barred Access::model(const Model& model, Route::ChosenBy by) const noexcept {
  if (const Barred barred = asked(model.name); barred != Barred::kNo) return barred;
  if (!model.tiers.has(tier_)) return Barred::kTiers;
  Barred all = Barred::kNo;
  for (const fleet::Target& target : model.targets) {
    const Barred barred = provider(target.provider);
    if (barred != Barred::kNo)
      all = barred;
    else if (target.weight != 0 || by == Route::ChosenBy::kClient)
      return Barred::kNo;
  }
  return all;  // kNo where none is barred and nobody is sent anywhere: that is no rule's doing
}

Barred Access::anything() const noexcept {
  if (workload_ != nullptr && !workload_->models.empty()) return Barred::kModels;
  if (workload_ != nullptr && !workload_->providers.empty()) return Barred::kProviders;
  const auto closed = [this](const TierSet& tiers) { return !tiers.has(tier_); };
  const bool tiers = std::ranges::any_of(snapshot_.providers, closed, &fleet::Provider::tiers) ||
                     std::ranges::any_of(snapshot_.models, [&](const auto& entry) {
                       return closed(entry.second.tiers);
                     });
  return tiers ? Barred::kTiers : Barred::kNo;
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
