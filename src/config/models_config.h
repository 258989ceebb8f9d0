#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/field.h"
#include "base/field_text.h"
#include "base/units.h"
#include "config/tiers_config.h"

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
      field("provider", &C::provider, required(any()), Reload::kReload,
            "The name of a provider in this file."),
      field("model", &C::model, required(kModelNameRule), Reload::kReload,
            "The provider's own name for the model."),
      field("weight", &C::weight, range(0, 1'000'000), Reload::kLive,
            "Share of the model's requests, relative to the other targets; 0 sends none."),
  };
}

// YAML: models.M.fallback[]
struct FallbackConfig {
  std::string provider;
  std::string model;  // the provider's own name for it
};

constexpr auto fields(Describe<FallbackConfig>) {
  using C = FallbackConfig;
  return std::tuple{
      field("provider", &C::provider, required(any()), Reload::kReload,
            "The name of a provider in this file."),
      field("model", &C::model, required(kModelNameRule), Reload::kReload,
            "The provider's own name for the model."),
  };
}

// YAML: models.M
struct ModelConfig {
  std::vector<TargetConfig> targets;
  std::vector<FallbackConfig> fallback;
  Duration deadline = kDeadline;
  TiersConfig tiers = every_tier();

  static constexpr Duration kDeadline = 600s;  // also of explicitly requested providers
};

constexpr auto fields(Describe<ModelConfig>) {
  using C = ModelConfig;
  return std::tuple{
      field("targets", &C::targets, required(any()), Reload::kReload,
            "Where requests for this model go, drawn at random by weight."),
      field("fallback", &C::fallback, any(), Reload::kReload,
            "Where they go, in this order, when no target can serve."),
      field("deadline", &C::deadline, range(100ms, 24h), Reload::kLive,
            "Longest time for a request, retries included; clients may ask for less."),
      field("tiers", &C::tiers, any(), Reload::kLive,
            "Whose callers may ask for the model: internal, external; both when not set."),
  };
}

}  // namespace penstock::config
