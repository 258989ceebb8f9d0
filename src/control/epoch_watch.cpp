#include "control/epoch_watch.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/units.h"

namespace penstock::control {

Epoch EpochWatch::seen(TimePoint now) const {
  const std::scoped_lock lock(mutex_);
  return now - noted_ < kMemory ? epoch_ : Epoch();
}

void EpochWatch::note(const Epoch& epoch, TimePoint now) {
  const std::scoped_lock lock(mutex_);
  noted_ = std::max(noted_, now);
  if (epoch.id == epoch_.id) {
    epoch_.sequence = std::max(epoch_.sequence, epoch.sequence);
    return;
  }
  const bool known = epoch_.id != 0;
  epoch_ = epoch;
  if (known) generation_.fetch_add(1, std::memory_order_release);
}

}  // namespace penstock::control
