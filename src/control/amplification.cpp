#include "control/amplification.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/units.h"

namespace penstock::control {

Amplification::Event Amplification::tick(std::uint64_t requests, std::uint64_t attempts,
                                         TimePoint now) noexcept {
  const std::size_t oldest = ticks_ < ring_.size() ? 0 : (ticks_ + 1) % ring_.size();
  ring_[ticks_ % ring_.size()] = {requests, attempts};
  ++ticks_;
  const Totals before = ring_[oldest];
  const auto asked = static_cast<double>(requests - before.requests);
  ratio_ = asked > 0 ? static_cast<double>(attempts - before.attempts) / asked : 0;
  if (ratio_ <= kTooHigh) {
    high_ = false;
    return std::exchange(told_, false) ? Event::kOver : Event::kNone;
  }
  if (!std::exchange(high_, true)) high_since_ = now;
  if (told_ || now - high_since_ < kFor) return Event::kNone;
  told_ = true;
  return Event::kTooHigh;
}

}  // namespace penstock::control
