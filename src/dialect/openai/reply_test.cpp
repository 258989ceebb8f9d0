#include "dialect/openai/reply.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "json/splice.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

constexpr std::string_view kOdd =
    "{\"id\":\"x\",\"object\":\"chat.completion\", "
    "\"prompt_logprobs\":[null,{\"1\":{\"logprob\":-0.10,"
    "\"model\":\"up\"}}],\n "
    "\"choices\":[{\"index\":0,\"message\":{\"model\":\"up\",\"content\":\"\xF0\x9F\x9A\xB0 "
    "\\u00e9 \\/ \\\"model\\\":\\\"up\\\" "
    "\\ud83d\"},\"finish_reason\":\"stop\",\"stop_reason\":null}], "
    "\"model\" :  \"up\" "
    ",\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10,"
    "\"vendor\":1E+2},\"kv\":{\"model\":\"up\",\"n\":18446744073709551616} }\n";

std::string restamped(std::string_view body, std::string_view model) {
  std::string out;
  restamp(read_reply(body), model).append_to(out);
  return out;
}

// The decoys are nested, escaped or quoted; only the top-level value may change.
TEST(Reply, RestampsOnlyTheTopLevelModel) {
  const std::size_t at = kOdd.find("\"up\" ,\"usage\"") + 1;
  for (const std::string_view model : {"chat", "a much longer public name", "q\"uote\\", ""}) {
    const std::string want = std::string(kOdd.substr(0, at)) +
                             (model == "q\"uote\\" ? "q\\\"uote\\\\" : std::string(model)) +
                             std::string(kOdd.substr(at + 2));
    EXPECT_EQ(restamped(kOdd, model), want);
  }
}

TEST(Reply, IsUntouchedUnderItsOwnName) {
  EXPECT_TRUE(restamp(read_reply(kOdd), "up").unchanged());
  EXPECT_TRUE(restamp(read_reply("{\"model\":\"u\\u0070\"}"), "up").unchanged());
}

TEST(Reply, IsReadInOnePass) {
  const ReplyView view = read_reply(kOdd);
  EXPECT_TRUE(view.well_formed);
  EXPECT_TRUE(view.has_finish);
  EXPECT_FALSE(view.has_error);
  EXPECT_EQ(view.model_raw, "up");
  EXPECT_EQ(view.usage, (llm::Usage{.input = 7, .output = 3}));

  const ReplyView embeddings =
      read_reply(R"({"object":"list","data":[{"embedding":[0.25,-0.5],"index":0}],"model":"e",)"
                 R"("usage":{"prompt_tokens":2,"total_tokens":2}})");
  EXPECT_EQ(embeddings.model_raw, "e");
  EXPECT_EQ(embeddings.usage, (llm::Usage{.input = 2}));
  EXPECT_FALSE(embeddings.has_finish);

  EXPECT_TRUE(read_reply(R"({"error":{"message":"m"}})").has_error);
  EXPECT_FALSE(read_reply(R"({"error":null})").has_error);
  EXPECT_FALSE(read_reply(R"({"choices":[{"finish_reason":null},5]})").has_finish);
}

// Anything else passes as it came: a provider's HTML page, a cut or compressed body, a list.
TEST(Reply, PassesWhatItDoesNotUnderstand) {
  for (const std::string_view body :
       {"", "null", "[]", "<html></html>", "\x1F\x8B\x08", "{\"model\":5}", "{}",
        "{\"model\":null}", "{\"model\":\"up\"} x", "{\"model\":\"up\",}"})
    EXPECT_EQ(restamped(body, "chat"), body);
  for (std::size_t cut = 0; cut + 2 < kOdd.size(); ++cut) {
    const std::string_view body = kOdd.substr(0, cut);
    EXPECT_FALSE(read_reply(body).well_formed) << cut;
    EXPECT_EQ(restamped(body, "chat"), body);
  }
}

}  // namespace
}  // namespace penstock::dialect::openai
