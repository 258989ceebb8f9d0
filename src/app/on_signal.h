#pragma once

#include <functional>

#include "base/clock.h"
#include "lab/on_stop.h"

namespace penstock::app {

// How the lab's programs are told to end: calls `stop` at the first TERM or INT, from a thread of
// its own; a second signal ends the process at once.
[[nodiscard]] lab::OnStop stop_on_signal(const Clock& clock);

}  // namespace penstock::app
