#include "control/fair_queue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/units.h"
#include "control/priority.h"

namespace penstock::control {

FairQueue::FairQueue(std::uint32_t places) : places_(places) {
  for (Lanes& lanes : lanes_) lanes.reserve(places);
  for (std::uint32_t i = places; i > 0; --i) {
    places_[i - 1].after = free_;
    free_ = i - 1;
  }
}

Offer FairQueue::offer(const Waiter& waiter) {
  const auto places = static_cast<std::uint32_t>(places_.size());
  if (waiting_ < mark(places, waiter.priority)) return {.ticket = put(waiter), .replaced = {}};
  const std::optional<std::uint32_t> loser = to_replace(waiter);
  if (!loser) return {};
  const std::uint64_t replaced = take(*loser).id;
  return {.ticket = put(waiter), .replaced = replaced};
}

std::optional<Waiter> FairQueue::next(TimePoint now, Priority lowest) {
  for (std::size_t c = kPriorityCount; c > static_cast<std::size_t>(lowest); --c) {
    Lanes& lanes = lanes_[c - 1];
    for (std::size_t turn = 0; turn < lanes.size(); ++turn) {
      std::uint32_t place = lanes[turn].oldest;
      while (place != kNone && places_[place].waiter.until <= now) place = places_[place].after;
      if (place == kNone) continue;
      std::rotate(lanes.begin() + static_cast<std::ptrdiff_t>(turn),
                  lanes.begin() + static_cast<std::ptrdiff_t>(turn) + 1, lanes.end());
      return take(place);
    }
  }
  return std::nullopt;
}

bool FairQueue::leave(const QueueTicket& ticket) {
  PENSTOCK_ASSERT(ticket.place < places_.size());
  if (places_[ticket.place].arrival != ticket.arrival) return false;
  take(ticket.place);
  return true;
}

bool FairQueue::any(Priority lowest) const noexcept {
  for (std::size_t c = kPriorityCount; c > static_cast<std::size_t>(lowest); --c)
    if (!lanes_[c - 1].empty()) return true;
  return false;
}

std::uint32_t FairQueue::waiting_of(std::uint32_t tenant) const noexcept {
  return tenant < of_tenant_.size() ? of_tenant_[tenant] : 0;
}

// Of several tenants with equally many, the one whose candidate came last.
std::optional<std::uint32_t> FairQueue::to_replace(const Waiter& newcomer) const noexcept {
  std::uint32_t most = waiting_of(newcomer.tenant) + 1;
  std::optional<std::uint32_t> found;
  for (std::size_t c = 0; c <= static_cast<std::size_t>(newcomer.priority); ++c) {
    for (const Lane& lane : lanes_[c]) {
      const std::uint32_t count = waiting_of(lane.tenant);
      if (count < most) continue;
      if (found && count == most && places_[lane.newest].arrival < places_[*found].arrival)
        continue;
      most = count;
      found = lane.newest;
    }
  }
  return found;
}

QueueTicket FairQueue::put(const Waiter& waiter) {
  PENSTOCK_ASSERT(free_ != kNone);
  const std::uint32_t place = free_;
  free_ = places_[place].after;
  Lanes& lanes = this->lanes(waiter.priority);
  auto lane = std::ranges::find(lanes, waiter.tenant, &Lane::tenant);
  if (lane == lanes.end()) lane = lanes.insert(lane, Lane{.tenant = waiter.tenant});
  places_[place] = {waiter, ++arrivals_, lane->newest, kNone};
  (lane->newest == kNone ? lane->oldest : places_[lane->newest].after) = place;
  lane->newest = place;
  ++waiting_;
  if (waiter.tenant >= of_tenant_.size()) of_tenant_.resize(std::size_t{waiter.tenant} + 1);
  ++of_tenant_[waiter.tenant];
  return {place, arrivals_};
}

Waiter FairQueue::take(std::uint32_t at) {
  Place& place = places_[at];
  Lanes& lanes = this->lanes(place.waiter.priority);
  const auto lane = std::ranges::find(lanes, place.waiter.tenant, &Lane::tenant);
  PENSTOCK_ASSERT(place.arrival != 0 && lane != lanes.end());
  (place.before == kNone ? lane->oldest : places_[place.before].after) = place.after;
  (place.after == kNone ? lane->newest : places_[place.after].before) = place.before;
  if (lane->oldest == kNone) lanes.erase(lane);
  const Waiter taken = place.waiter;
  place = {.after = free_};
  free_ = at;
  --waiting_;
  --of_tenant_[taken.tenant];
  return taken;
}

}  // namespace penstock::control
