#pragma once

#include "lab/mock_path.h"
#include "lab/mock_state.h"
#include "net/exchange.h"
#include "runtime/task.h"

namespace penstock::lab {

// Answers /mock/fault, /mock/stats and /mock/reset.
[[nodiscard]] runtime::Task<void> serve_control(MockState& state, net::Exchange& exchange,
                                                MockPath path);

}  // namespace penstock::lab
