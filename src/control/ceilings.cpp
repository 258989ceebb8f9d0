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

void Ceilings::add(InFlightLimit& limit, Priority as) noexcept {
  PENSTOCK_ASSERT(count_ < Slots::kSlotsMax);
  links_[count_++] = {&limit, as};
}

Entrance Ceilings::enter() noexcept {
  Slots entered;
  for (std::size_t i = 0; i < count_; ++i) {
    std::optional<Slot> slot = links_[i].limit->enter(links_[i].as);
    if (!slot) return {.slots = std::nullopt, .refused_by = i};
    entered.add(*std::move(slot));
  }
  return {.slots = std::move(entered)};
}

}  // namespace penstock::control
