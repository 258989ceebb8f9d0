#pragma once

#include <string_view>

#include "gateway/worker.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::gateway {

// `/livez` and `/readyz`, on either plane: no credentials, no log line, no metric.
[[nodiscard]] bool is_health_path(std::string_view target) noexcept;
[[nodiscard]] runtime::Task<void> reply_health(net::Exchange& exchange, const Process& process);

}  // namespace penstock::gateway
