#pragma once

#include <functional>

#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::admin {

// Begins to drain the process, as TERM does; called again it changes nothing.
using Drain = std::function<void()>;

// `POST /admin/v1/drain`: 202 at once, whether or not draining had begun before.
[[nodiscard]] runtime::Task<void> serve_drain(net::Exchange& exchange, const Drain& drain);

}  // namespace penstock::admin
