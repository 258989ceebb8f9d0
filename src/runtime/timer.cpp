#include "runtime/timer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/assert.h"
#include "base/units.h"

namespace penstock::runtime {

void Timer::arm(TimePoint due) noexcept {
  due_ = due;
  const std::int64_t tick = std::max(TimerWheel::tick_after(due), wheel_.current_ + 1);
  if (armed()) {
    if (tick_ >= 0 && tick_ <= tick) return;  // looked at by then, and put where it belongs
    wheel_.unlink(*this);
  }
  wheel_.link(*this, tick);
}

void Timer::disarm() noexcept {
  if (armed()) wheel_.unlink(*this);
}

std::int64_t TimerWheel::tick_after(TimePoint at) noexcept {
  const auto nanoseconds = at.time_since_epoch().count();
  return nanoseconds / kTick.count() + (nanoseconds % kTick.count() > 0 ? 1 : 0);
}

void TimerWheel::link(Timer& timer, std::int64_t tick) noexcept {
  timer.tick_ = tick;
  const std::size_t slot = slot_of(timer);
  timer.previous_ = nullptr;
  timer.next_ = slots_[slot];
  if (timer.next_ != nullptr) timer.next_->previous_ = &timer;
  slots_[slot] = &timer;
  occupied_[slot / 64] |= 1ULL << (slot % 64);
  ++armed_;
  if (wake_ && *wake_ <= tick) return;
  wake_ = tick;
  if (earlier_ != nullptr) earlier_(earlier_context_, TimePoint(kTick * tick));
}

void TimerWheel::unlink(Timer& timer) noexcept {
  const std::size_t slot = slot_of(timer);
  if (timer.previous_ != nullptr)
    timer.previous_->next_ = timer.next_;
  else
    slots_[slot] = timer.next_;
  if (timer.next_ != nullptr) timer.next_->previous_ = timer.previous_;
  if (slots_[slot] == nullptr) occupied_[slot / 64] &= ~(1ULL << (slot % 64));
  timer.tick_ = Timer::kNowhere;
  --armed_;
}

void TimerWheel::advance(TimePoint now) noexcept {
  const std::int64_t until = now.time_since_epoch().count() / kTick.count();
  // After a long sleep one turn visits every slot.
  current_ = std::max(current_, until - static_cast<std::int64_t>(kSlots));
  while (current_ < until) {
    ++current_;
    const auto slot = static_cast<std::size_t>(current_) % kSlots;
    if ((occupied_[slot / 64] >> (slot % 64) & 1) == 0) continue;
    expire(slot, now);
  }
  wake_.reset();
  if (const std::optional<TimePoint> next = next_wake())
    wake_ = next->time_since_epoch().count() / kTick.count();
}

// The slot's timers are moved to a list of their own first: a firing timer may arm, disarm or end
// any other, those of this slot included.
void TimerWheel::expire(std::size_t slot, TimePoint now) noexcept {
  slots_[kExpiringSlot] = slots_[slot];
  slots_[slot] = nullptr;
  occupied_[slot / 64] &= ~(1ULL << (slot % 64));
  for (Timer* timer = slots_[kExpiringSlot]; timer != nullptr; timer = timer->next_)
    timer->tick_ = Timer::kExpiring;
  while (Timer* timer = slots_[kExpiringSlot]) {
    unlink(*timer);
    if (timer->due_ <= now)
      timer->fire_(timer->context_);
    else
      link(*timer, tick_after(timer->due_));
  }
}

std::optional<TimePoint> TimerWheel::next_wake() const noexcept {
  if (armed_ == 0) return std::nullopt;
  for (std::size_t ahead = 1; ahead <= kSlots;) {
    const auto slot = (static_cast<std::size_t>(current_) + ahead) % kSlots;
    const std::uint64_t word = occupied_[slot / 64] >> (slot % 64);
    if (word == 0) {
      ahead += 64 - slot % 64;
      continue;
    }
    ahead += static_cast<std::size_t>(std::countr_zero(word));
    return TimePoint(kTick * (current_ + static_cast<std::int64_t>(ahead)));
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace penstock::runtime
