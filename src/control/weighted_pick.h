#pragma once

#include <cstdint>
#include <optional>
#include <ranges>

#include "base/rng.h"

namespace penstock::control {

// Draws one of `items` at random, in proportion to `weight(item)`, independently each time. Returns
// its index, or nullopt when no item has any weight.
template <std::ranges::forward_range Items, class Weight>
[[nodiscard]] std::optional<std::size_t> weighted_pick(const Items& items, Weight weight,
                                                       Rng& rng) {
  std::uint64_t total = 0;
  for (const auto& item : items) total += weight(item);
  if (total == 0) return std::nullopt;
  std::uint64_t drawn = rng.below(total);
  std::size_t index = 0;
  for (const auto& item : items) {
    const std::uint64_t share = weight(item);
    if (drawn < share) return index;
    drawn -= share;
    ++index;
  }
  return std::nullopt;
}

}  // namespace penstock::control
