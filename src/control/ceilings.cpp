#include "control/ceilings.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"

namespace penstock::control {

void Slots::add(Slot slot) noexcept {
  PENSTOCK_ASSERT(count_ < kSlotsMax);
  slots_[count_++] = std::move(slot);
}

void Ceilings::add(InFlightLimit& limit, Shares shares) noexcept {
  PENSTOCK_ASSERT(count_ < Slots::kSlotsMax);
  links_[count_++] = {&limit, shares};
}

Entrance Ceilings::enter(Priority priority) noexcept {
  Slots entered;
  for (std::size_t i = 0; i < count_; ++i) {
    const Priority as = links_[i].shares == Shares::kNone ? Priority::kInteractive : priority;
    std::optional<Slot> slot = links_[i].limit->enter(as);
    if (!slot) return {.slots = std::nullopt, .refused_by = i};
    entered.add(*std::move(slot));
  }
  return {.slots = std::move(entered)};
}

}  // namespace penstock::control
