#pragma once

#include <functional>

namespace penstock::lab {

// Is given what to do when the process is asked to end, and calls it then: once, on any thread.
using OnStop = std::function<void(std::function<void()> stop)>;

}  // namespace penstock::lab
