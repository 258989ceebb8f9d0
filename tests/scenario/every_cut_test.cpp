// One rich stream, cut in two at every byte: its client must not be able to tell.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "tests/scenario/ask.h"
#include "tests/scenario/client.h"
#include "tests/scenario/gateway_rig.h"
#include "tests/scenario/scenario.h"
#include "tests/scenario/steps.h"
#include "tests/support/loopback.h"
#include "tests/support/scripted_upstream.h"
#include "wire/chunked.h"

namespace penstock::scenario {
namespace {

// CRLF, CR and LF, a comment, data over several lines, unicode raw and escaped, vendors' members, a
// usage chunk that only the gateway asked for, a malformed event.
const std::vector<std::string>& events() {
  // NOLINTBEGIN(bugprone-suspicious-missing-comma): long events stand on several lines
  static const std::vector<std::string> all{
      "\xEF\xBB\xBF: hello\r\n\r\n",
      "data: {\"id\":\"c\",\"model\":\"up\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
      "\"assistant\"}}]}\r\n\r\n",
      "event: message\r\nid: 7\r\ndata: {\"id\":\"c\",\r\ndata: \"model\":\"up\",\r\ndata:"
      "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\u00e9 \U0001F600 \\u00e9\"}}]}\r\n\r\n",
      "data: {not json\n\n",
      ": keep-alive\n\n",
      "data:{\"model\":\"up\",\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"x_vendor\":1e400,"
      "\"content\":\"b\"}}]}\r\r",
      "data: {\"id\":\"c\",\"model\":\"up\",\"choices\":[{\"index\":0,\"delta\":{},"
      "\"finish_reason\":\"stop\"}]}\n\n",
      "data: {\"id\":\"c\",\"model\":\"up\",\"choices\":[],\"usage\":{\"prompt_tokens\":1,"
      "\"completion_tokens\":2}}\n\n",
      "data: [DONE]\r\n\r\n"};
  // NOLINTEND(bugprone-suspicious-missing-comma)
  return all;
}

// What the client is to get of it: the name restamped, the usage and the malformed event gone.
std::string wanted() {
  std::string text;
  for (const std::string& event : events()) {
    if (event.find("usage") != std::string::npos || event.find("not json") != std::string::npos)
      continue;
    text += event;
    const std::size_t model = text.rfind("\"up\"");
    if (model != std::string::npos) text.replace(model, 4, "\"m\"");
  }
  return text;
}

// The provider's bytes, framing included; some events share a chunk, one is split over two.
std::string on_wire() {
  std::string text =
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const auto chunk = [&text](std::string_view bytes) {
    wire::append_chunk_head(text, bytes.size());
    text.append(bytes).append(wire::kChunkEnd);
  };
  const std::vector<std::string>& all = events();
  chunk(all[0] + all[1] + all[2].substr(0, 40));
  chunk(all[2].substr(40) + all[3]);
  for (std::size_t i = 4; i < all.size(); ++i) chunk(all[i]);
  return text.append(wire::kLastChunk);
}

constexpr Duration kStays = 10ms;  // the provider's last bytes may come behind the client's

// Wherever a packet ends, the client gets the same bytes.
TEST(EveryCut, OfAStreamGivesTheSameBytes) {
  const std::string bytes = on_wire();
  const std::string want = wanted();
  GatewayRig rig("", "");
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    test::Answer answer;
    answer.steps = {test::step::Send{bytes.substr(0, cut)}, test::step::Wait{5ms},
                    test::step::Send{bytes.substr(cut)}};
    rig.upstream.answer(std::move(answer));
    const Reply reply = ask(rig, chat_call(Streamed::kYes), 1s, kStays);
    ASSERT_EQ(reply.body, want) << "cut at " << cut;
    ASSERT_TRUE(reply.whole) << "cut at " << cut;
  }
  EXPECT_EQ(rig.net.counts(GatewayRig::kPlace).dials, 1U) << "each stream leaves its connection";
  rig.expect_settled();
}

// The finest cut of all, both ways, towards a client that takes a few bytes at a time.
TEST(EveryCut, AtOnceGivesTheSameBytes) {
  test::LoopbackOptions fine;
  fine.bytes_per_read = 1;
  GatewayRig rig("", "", fine, fine);
  test::Answer answer;
  answer.steps = {test::step::Send{on_wire()}};
  rig.upstream.answer(std::move(answer));
  ClientCall call = chat_call(Streamed::kYes);
  call.to_client.capacity = 7;
  EXPECT_EQ(ask(rig, call, 1s, kStays).body, wanted());
  rig.expect_settled();
}

// A stream whose connection breaks at any byte ends in one of the two ways, or as a plain error;
// what its client got before is a prefix of the whole.
TEST(EveryCut, ThatBreaksTheConnectionEndsInOneOfTwoWays) {
  const std::string bytes = on_wire();
  const std::string want = wanted();
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    GatewayRig rig("", "");  // anew, or the breaker would open
    test::Answer answer;
    answer.steps = {test::step::Send{bytes.substr(0, cut)}, test::step::Wait{5ms},
                    test::step::Cut{}};
    rig.upstream.answer(std::move(answer));
    const Reply reply = ask(rig, chat_call(Streamed::kYes), 1s, kStays);
    ASSERT_TRUE(reply.whole) << "cut at " << cut;
    if (reply.status != 200) {
      ASSERT_EQ(reply.status, 502) << "cut at " << cut;
      continue;
    }
    const std::size_t error = reply.body.rfind("data: {\"error\"");
    const std::size_t done = reply.body.rfind("data: [DONE]");
    ASSERT_NE(error == std::string::npos, done == std::string::npos) << reply.body;
    const std::string relayed = reply.body.substr(0, std::min(error, done));
    ASSERT_EQ(want.compare(0, relayed.size(), relayed), 0) << "cut at " << cut << "\n" << relayed;
    rig.expect_settled();
  }
}

}  // namespace
}  // namespace penstock::scenario
