#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/describe.h"
#include "base/field.h"

namespace penstock::control {

// What is refused first as a ceiling fills. In ascending order.
enum class Priority : std::uint8_t { kBatch, kStandard, kInteractive };
inline constexpr std::size_t kPriorityCount = 3;

constexpr auto enum_names(Describe<Priority>) {
  return std::array{EnumName<Priority>{"batch", Priority::kBatch},
                    EnumName<Priority>{"standard", Priority::kStandard},
                    EnumName<Priority>{"interactive", Priority::kInteractive}};
}

// The share of a ceiling that a class may fill, in percent (docs/reference/endpoints.md).
[[nodiscard]] constexpr std::uint64_t share_percent(Priority priority) noexcept {
  switch (priority) {
    case Priority::kBatch: return 70;
    case Priority::kStandard: return 90;
    case Priority::kInteractive: return 100;
  }
  return 0;
}

// ⌈limit × share⌉: a class is refused where this many are in.
[[nodiscard]] constexpr std::uint32_t mark(std::uint32_t limit, Priority priority) noexcept {
  return static_cast<std::uint32_t>((limit * share_percent(priority) + 99) / 100);
}

}  // namespace penstock::control
