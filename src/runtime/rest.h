#pragma once

#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::runtime {

// Waits until then; false when told to stop before that. On the loop's thread; both outlive it.
[[nodiscard]] Task<bool> rest_until(EventLoop& loop, Cancellation& cancellation, TimePoint until);

}  // namespace penstock::runtime
