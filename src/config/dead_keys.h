#pragma once

#include "base/units.h"
#include "config/load.h"

namespace penstock::config {

// Adds a warning for each tenant for which nobody can call any more: in mode keys, with keys that
// are all disabled or expired by now. Never a problem: that is how callers are stopped, and neither
// the order to do so nor time itself may keep a gateway from starting.
void warn_of_dead_keys(LoadResult& loaded, WallTime now);

}  // namespace penstock::config
