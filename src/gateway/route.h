#pragma once

#include <span>
#include <vector>

#include "control/retry_plan.h"
#include "fleet/target.h"
#include "gateway/snapshot.h"

namespace penstock::gateway {

// Where a request may go: a model of the config, or a provider that the client named itself, which
// is never replaced by another.
struct Route {
  const Model* model = nullptr;  // nullptr: `provider/model`
  // What an explicit request leaves of the targets; empty: all those of the model.
  std::vector<fleet::Target> named{};
  std::vector<control::PlanTarget> named_plan{};

  [[nodiscard]] std::span<const fleet::Target> targets() const noexcept {
    return named.empty() && model != nullptr ? std::span(model->targets) : std::span(named);
  }
  [[nodiscard]] std::span<const control::PlanTarget> plan() const noexcept {
    return named.empty() && model != nullptr ? std::span(model->plan) : std::span(named_plan);
  }
  [[nodiscard]] Duration deadline() const noexcept {
    return model != nullptr ? model->deadline : Model::kDeadline;
  }
  // Adds a place that the client asked for by name.
  void name(fleet::Target target) {
    target.role = control::TargetRole::kWeighted;
    named_plan.push_back(target.planned());
    named.push_back(std::move(target));
  }
};

}  // namespace penstock::gateway
