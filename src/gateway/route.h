#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "control/retry_plan.h"
#include "fleet/target.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

// Where a request may go: a model of the config, or a provider that the client named itself, which
// is never replaced by another. Nothing else is ever gone to.
struct Route {
  enum class ChosenBy : std::uint8_t { kModel, kClient };

  const Model* model = nullptr;           // nullptr: `provider/model`
  ChosenBy chosen_by = ChosenBy::kModel;  // who named the provider
  // Where an explicit request, or the caller's rules, leave a part of the targets only: that.
  bool narrowed = false;
  std::vector<fleet::Target> only{};
  std::vector<control::PlanTarget> only_plan{};

  [[nodiscard]] std::span<const fleet::Target> targets() const noexcept {
    return narrowed || model == nullptr ? std::span(only) : std::span(model->targets);
  }
  [[nodiscard]] std::span<const control::PlanTarget> plan() const noexcept {
    return narrowed || model == nullptr ? std::span(only_plan) : std::span(model->plan);
  }
  [[nodiscard]] Duration deadline() const noexcept {
    return model != nullptr ? model->deadline : Model::kDeadline;
  }
  // Adds a place that remains, …
  void keep(fleet::Target target) {
    narrowed = true;
    only_plan.push_back(target.planned());
    only.push_back(std::move(target));
  }
  // … one that the client asked for by name.
  void name(fleet::Target target) {
    chosen_by = ChosenBy::kClient;
    target.role = control::TargetRole::kWeighted;
    keep(std::move(target));
  }
};

}  // namespace penstock::gateway
