#include "control/block.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "base/units.h"
#include "control/closed.h"
#include "control/priority.h"

namespace penstock::control {

std::uint32_t Block::mark(std::uint32_t class_mark, std::uint32_t generation,
                          TimePoint now) const noexcept {
  if (generation_.load(std::memory_order_acquire) != generation) return 0;
  if (now.time_since_epoch().count() >= until_ns_.load(std::memory_order_relaxed)) return 0;
  const std::uint32_t others = std::min(others_.load(std::memory_order_relaxed), class_mark);
  return std::min(granted_.load(std::memory_order_relaxed), class_mark - others);
}

void Block::apply(const BlockGrant& grant, std::uint32_t generation, TimePoint sent) {
  const std::scoped_lock lock(mutex_);
  if (grant.version < version_) return;
  version_ = grant.version;
  set_at_ = std::max(set_at_, sent);
  granted_.store(grant.granted, std::memory_order_relaxed);
  others_.store(grant.others, std::memory_order_relaxed);
  until_ns_.store((sent + kTrust).time_since_epoch().count(), std::memory_order_relaxed);
  generation_.store(generation, std::memory_order_release);
}

void Block::note_full(Priority as, TimePoint now) noexcept {
  full_[static_cast<std::size_t>(as)].close(now, Closed::kLongest, 0);
}

bool Block::known_full(Priority as, TimePoint now) const noexcept {
  for (std::size_t i = static_cast<std::size_t>(as); i < kPriorityCount; ++i)
    if (full_[i].refused_by(now)) return true;
  return false;
}

std::optional<Block::Setting> Block::tend(std::uint32_t in_flight, std::uint32_t ceiling,
                                          TimePoint now, Duration renewal) {
  const std::scoped_lock lock(mutex_);
  const std::uint32_t granted = granted_.load();
  const std::uint32_t wanted = in_flight == 0 ? 0 : in_flight + block_headroom(ceiling);
  const bool idle = granted > wanted;
  const bool due = (granted > 0 || in_flight > 0) && now >= set_at_ + renewal;
  if (!idle && !due) return std::nullopt;
  // What began while the store was away, or asks to begin just now, is told to it.
  const std::uint32_t next = std::max(in_flight, std::min(granted, wanted));
  version_ = mint();
  set_at_ = now;
  granted_.store(std::min(granted, next));
  return Setting{version_, next};
}

}  // namespace penstock::control
