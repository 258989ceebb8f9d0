#pragma once

#include <string_view>

#include "base/units.h"
#include "gateway/snapshot.h"
#include "gateway/worker.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::gateway {

// `/livez` and `/readyz`, on either plane: no credentials, no log line, no metric.
// `/readyz?providers` is 503 also when no provider has a replica that could take a call.
[[nodiscard]] bool is_health_path(std::string_view target) noexcept;
[[nodiscard]] runtime::Task<void> reply_health(net::Exchange& exchange, const Process& process,
                                               const Snapshot& snapshot, TimePoint now);

}  // namespace penstock::gateway
