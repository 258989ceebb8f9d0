#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "base/field_text.h"

namespace penstock::config {

// YAML: models.M.targets[]
struct TargetConfig {
  std::string provider;
  std::string model;  // the provider's own name for it
  std::uint32_t weight = 1;
};

constexpr auto fields(Describe<TargetConfig>) {
  using C = TargetConfig;
  return std::tuple{
      field("provider", &C::provider, required(any()), Reload::kLive,
            "The name of a provider in this file."),
      field("model", &C::model, required(kModelNameRule), Reload::kLive,
            "The provider's own name for the model."),
      field("weight", &C::weight, range(0, 1'000'000), Reload::kLive,
            "Share of the model's requests, relative to the other targets; 0 sends none."),
  };
}

// YAML: models.M
struct ModelConfig {
  std::vector<TargetConfig> targets;
};

constexpr auto fields(Describe<ModelConfig>) {
  using C = ModelConfig;
  return std::tuple{
      field("targets", &C::targets, required(any()), Reload::kLive,
            "Where requests for this model go, drawn at random by weight."),
  };
}
constexpr auto later_keys(Describe<ModelConfig>) {
  return std::array<std::string_view, 3>{"fallback", "deadline", "tiers"};
}

}  // namespace penstock::config
