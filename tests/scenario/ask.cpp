#include "tests/scenario/ask.h"

#include <string_view>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/peer.h"

namespace penstock::scenario {

ClientCall chat_call(Streamed streamed, std::string_view fields) {
  RequestParts parts;
  parts.fields = fields;
  parts.id = "r0";
  parts.body = chat_body("m", streamed);
  ClientCall call;
  call.bytes = request_bytes(parts);
  return call;
}

Reply ask(GatewayRig& rig, const ClientCall& call, Duration patience) {
  Client client(rig.loop, rig.connect(call.to_client).client, test::Peer::Reading::kAlways);
  client.send(call, 0);
  EXPECT_TRUE(rig.loop.advance_until([&] { return client.idle(); }, patience));
  return client.reply(0);
}

}  // namespace penstock::scenario
