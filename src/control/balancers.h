#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/describe.h"
#include "base/field.h"
#include "control/balancer.h"

namespace penstock::control {

enum class Balance : std::uint8_t { kWeightedRoundRobin, kLeastRequest, kPeakEwma };

constexpr auto enum_names(Describe<Balance>) {
  return std::array{EnumName<Balance>{"weighted_round_robin", Balance::kWeightedRoundRobin},
                    EnumName<Balance>{"least_request", Balance::kLeastRequest},
                    EnumName<Balance>{"peak_ewma", Balance::kPeakEwma}};
}

// As the config writes it.
[[nodiscard]] constexpr std::string_view name(Balance balance) noexcept {
  for (const auto& word : enum_names(Describe<Balance>{}))
    if (word.value == balance) return word.word;
  return "";
}

struct BalancerInfo {
  Balance balance;
  std::unique_ptr<Balancer> (*make)();
};

// One row per balancer, in the order of the enum. A new one is a file pair, a value with its word,
// and a row.
[[nodiscard]] std::span<const BalancerInfo> balancers() noexcept;
[[nodiscard]] const BalancerInfo& info(Balance balance) noexcept;

}  // namespace penstock::control
