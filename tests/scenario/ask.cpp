#include "tests/scenario/ask.h"

#include <memory>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "base/units.h"
#include "net/byte_stream.h"
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

Reply ask(GatewayRig& rig, const ClientCall& call, Duration patience, Duration stays) {
  return ask(rig, rig.connect(call.to_client).client, call, patience, stays);
}

Reply ask(GatewayRig& rig, std::unique_ptr<net::ByteStream> stream, const ClientCall& call,
          Duration patience, Duration stays) {
  Client client(rig.loop, std::move(stream), test::Peer::Reading::kAlways);
  client.send(call, 0);
  EXPECT_TRUE(rig.loop.advance_until([&] { return client.idle(); }, patience));
  if (stays > 0s) rig.loop.advance(stays);
  return client.reply(0);
}

}  // namespace penstock::scenario
