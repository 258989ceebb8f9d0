#pragma once

#include <string_view>

#include "base/units.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"

// One call at a time, for tests that make many.
namespace penstock::scenario {

// A chat request for the model `m` with the id `r0`. fields: further header lines, each ended by
// LF.
[[nodiscard]] ClientCall chat_call(Streamed streamed, std::string_view fields = "");

// Asks on a connection of its own and returns the reply as it is once the connection has nothing
// more to wait for; that `patience` was not enough fails the test.
[[nodiscard]] Reply ask(GatewayRig& rig, const ClientCall& call, Duration patience);

}  // namespace penstock::scenario
