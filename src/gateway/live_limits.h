#pragma once

#include "base/units.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

// Moves the ceilings and buckets that all workers share to what a new snapshot says, at once. A
// lowered ceiling refuses newcomers; whoever is in stays in. A raised one lets in who waits. What a
// bucket's callers have used stays used, in units. On the control thread.
void apply_limits(Process& process, const Snapshot& snapshot, TimePoint now);

}  // namespace penstock::gateway
