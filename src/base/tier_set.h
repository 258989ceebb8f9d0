#pragma once

#include <cstdint>
#include <utility>

#include "base/principal.h"

namespace penstock {

// Which tiers something is open to; both unless told.
class TierSet {
 public:
  constexpr TierSet() = default;

  [[nodiscard]] static constexpr TierSet none() noexcept {
    TierSet set;
    set.bits_ = 0;
    return set;
  }
  constexpr void add(Tier tier) noexcept { bits_ |= bit(tier); }
  [[nodiscard]] constexpr bool has(Tier tier) const noexcept { return (bits_ & bit(tier)) != 0; }
  constexpr bool operator==(const TierSet&) const = default;

 private:
  [[nodiscard]] static constexpr std::uint8_t bit(Tier tier) noexcept {
    return static_cast<std::uint8_t>(1U << std::to_underlying(tier));
  }
  std::uint8_t bits_ = bit(Tier::kInternal) | bit(Tier::kExternal);
};

}  // namespace penstock
