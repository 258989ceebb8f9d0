#pragma once

#include <array>
#include <cstdint>

#include "base/describe.h"
#include "base/field.h"
#include "policy/output_rule.h"

// The words of rules in the config (YAML: tenants.T.workloads.W).
namespace penstock::policy {

constexpr auto enum_names(Describe<OutputOver>) {
  return std::array{EnumName<OutputOver>{"refuse", OutputOver::kRefuse},
                    EnumName<OutputOver>{"clamp", OutputOver::kClamp}};
}

// Whether a workload may hand tools to a model.
enum class Tools : std::uint8_t { kAllow, kDeny };

constexpr auto enum_names(Describe<Tools>) {
  return std::array{EnumName<Tools>{"allow", Tools::kAllow}, EnumName<Tools>{"deny", Tools::kDeny}};
}

// Whether a request must carry x-penstock-label.
enum class LabelRule : std::uint8_t { kOptional, kRequired };

constexpr auto enum_names(Describe<LabelRule>) {
  return std::array{EnumName<LabelRule>{"optional", LabelRule::kOptional},
                    EnumName<LabelRule>{"required", LabelRule::kRequired}};
}

}  // namespace penstock::policy
