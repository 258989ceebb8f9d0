#pragma once

#include <memory>
#include <string_view>

#include "base/units.h"
#include "net/byte_stream.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"

// One call at a time, for tests that make many.
namespace penstock::scenario {

// A chat request for the model `m` with the id `r0`. fields: further header lines, each ended by
// LF.
[[nodiscard]] ClientCall chat_call(Streamed streamed, std::string_view fields = "");

// Asks on a connection of its own, or on `stream`, and returns the reply as it is once the
// connection has nothing more to wait for; that `patience` was not enough fails the test.
// stays: for so long behind its reply, where the provider's last bytes may come later than that.
[[nodiscard]] Reply ask(GatewayRig& rig, const ClientCall& call, Duration patience,
                        Duration stays = Duration::zero());
[[nodiscard]] Reply ask(GatewayRig& rig, std::unique_ptr<net::ByteStream> stream,
                        const ClientCall& call, Duration patience,
                        Duration stays = Duration::zero());

}  // namespace penstock::scenario
