#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "dialect/openai/stream.h"
#include "llm/usage.h"
#include "wire/sse.h"

namespace penstock::dialect::openai {
namespace {

// CRLF, fields and comments, several data lines, characters of several bytes, decoys of `model`, a
// lone surrogate and a number that no machine word holds.
constexpr std::string_view kOdd =
    "data: {\"id\":\"x\",\"model\":\"up\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
    "\"assistant\",\"content\":\"\"},\"finish_reason\":null}],\"usage\":null}\r\n\r\n"
    "event: message\nid: 7\ndata:{\"model\" : \"up\",\"choices\":[{\"index\":0,\"delta\":{"
    "\"reasoning_content\":\"\\u2026 \xF0\x9F\x9A\xB0\",\"content\":\"caf\xC3\xA9 \\ud83d "
    "\\\"model\\\":\\\"up\\\"\"},\"finish_reason\":null}],\"n\":123456789012345678901234567890}\n\n"
    ": upstream comment\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"two lines\"},\ndata: "
    "\"finish_reason\":null}],\"model\":\ndata: \"up\"}\n\n"
    "data: {\"model\":\"up\",\"choices\":[{\"index\":0,\"delta\":{ },\"finish_reason\":\"stop\"}],"
    "\"kv\":{\"model\":\"up\"}}\r\r"
    "data: "
    "{\"model\":\"up\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}"
    "\n\ndata: [DONE]\n\n";

// What a client gets of kOdd when it comes in packets that end at `first` and then every `size`.
std::string relayed(const StreamOptions& options, std::size_t first, std::size_t size) {
  wire::SseParser parser(1 << 16);
  StreamReader reader(options);
  std::string out;
  std::size_t at = 0;
  std::size_t end = first;
  while (at < kOdd.size()) {
    end = std::min(std::max(end, at + 1), kOdd.size());
    const std::string packet(kOdd.substr(at, end - at));  // its own memory: no view may outlive it
    parser.feed(packet);
    for (auto event = parser.next(); event && *event; event = parser.next()) {
      const wire::SseEvent& in = **event;
      reader.on_event({.raw = in.raw, .data = in.data, .has_data = in.has_data})
          .bytes.append_to(out);
    }
    at = end;
    end = at + size;
  }
  EXPECT_TRUE(reader.over());
  EXPECT_TRUE(reader.content_seen());
  EXPECT_FALSE(reader.finish_missing());
  EXPECT_EQ(reader.malformed(), 0U);
  EXPECT_EQ(reader.usage(), (llm::Usage{.input = 7, .output = 3}));
  return out;
}

// kOdd with each chunk's own model replaced, and nothing else.
std::string restamped() {
  std::string out(kOdd);
  for (const std::string_view spelled :
       {"\"x\",\"model\":\"", "{\"model\" : \"", "\"model\":\ndata: \"", "\n\ndata: {\"model\":\"",
        "\r\rdata: {\"model\":\""}) {
    const std::size_t at = out.find(spelled);
    EXPECT_NE(at, std::string::npos) << spelled;
    out.replace(at + spelled.size(), 2, "public");
  }
  return out;
}

// Byte identity wherever the packets are cut.
TEST(StreamBytes, AreTheSameForEveryCut) {
  for (std::size_t cut = 0; cut <= kOdd.size(); ++cut) {
    ASSERT_EQ(relayed({}, cut, kOdd.size()), kOdd) << cut;
    ASSERT_EQ(relayed({.public_model = "public"}, cut, kOdd.size()), restamped()) << cut;
  }
}

TEST(StreamBytes, AreTheSameForSmallPackets) {
  for (const std::size_t size : {1UZ, 2UZ, 3UZ, 7UZ}) {
    EXPECT_EQ(relayed({}, size, size), kOdd);
    EXPECT_EQ(relayed({.public_model = "public"}, size, size), restamped());
  }
}

// Only the usage chunk goes missing when the client did not ask for it.
TEST(StreamBytes, LackOnlyTheHiddenUsage) {
  const std::size_t from = kOdd.find("data: {\"model\":\"up\",\"choices\":[],");
  const std::string want =
      std::string(kOdd.substr(0, from)) + std::string(kOdd.substr(kOdd.find("data: [DONE]")));
  EXPECT_EQ(relayed({.hide_usage = HideUsage::kHide}, 5, 11), want);
}

}  // namespace
}  // namespace penstock::dialect::openai
