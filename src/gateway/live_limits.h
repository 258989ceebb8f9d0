#pragma once

#include "gateway/snapshot.h"
#include "gateway/worker.h"

namespace penstock::gateway {

// Moves the ceilings that all workers share to what a new snapshot says, at once. A lowered one
// refuses newcomers; whoever is in stays in. On the control thread.
void apply_limits(Process& process, const Snapshot& snapshot);

}  // namespace penstock::gateway
