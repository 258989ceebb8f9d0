#include "lab/ask.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "dialect/surface.h"

namespace penstock::lab {
namespace {

using dialect::Surface;

Ask ask_of(const std::string& body, Surface surface = Surface::kChat) {
  Result<Ask> ask = read_ask(body, surface);
  EXPECT_TRUE(ask.has_value()) << body;
  return ask ? *ask : Ask{};
}

std::string tools_request(const std::string& content, const std::string& more) {
  return R"({"model":"m","messages":[{"role":"user","content":")" + content +
         R"("}],"tools":[{"type":"function","function":{"name":"first"}},)" +
         R"({"type":"function","function":{"name":"second","parameters":{}}}])" + more + "}";
}

// The same conversation has the same seed, however the JSON is laid out and delivered.
TEST(Ask, SeedsByConversationOnly) {
  const std::string plain = R"({"model":"m","messages":[{"role":"user","content":"a b"}]})";
  const std::string spaced =
      R"({ "stream":true, "messages" : [ {"role": "user", "content": "a b"} ], "model":"m" })";
  const std::string other = R"({"model":"m","messages":[{"role":"user","content":"a c"}]})";
  EXPECT_EQ(ask_of(plain).seed, ask_of(spaced).seed);
  EXPECT_NE(ask_of(plain).seed, ask_of(other).seed);
  EXPECT_EQ(ask_of(plain).prompt_tokens, 2U);
  EXPECT_TRUE(ask_of(spaced).stream);
}

// The newer member wins where a client sends both.
TEST(Ask, ReadsTheLimitOfTokens) {
  const std::string body = R"({"model":"m","prompt":"x","max_tokens":7,"max_completion_tokens":5})";
  EXPECT_EQ(ask_of(body, Surface::kCompletions).tokens_max, 5U);
}

// Named, mentioned, required, or none of it.
TEST(Ask, ChoosesTheToolToCall) {
  EXPECT_FALSE(ask_of(tools_request("hello", "")).tool);
  EXPECT_EQ(ask_of(tools_request("use second", "")).tool->name_raw, "second");
  EXPECT_EQ(ask_of(tools_request("hello", R"(,"tool_choice":"required")")).tool->name_raw, "first");
  EXPECT_FALSE(ask_of(tools_request("use second", R"(,"tool_choice":"none")")).tool);
  const std::string named = R"(,"tool_choice":{"type":"function","function":{"name":"second"}})";
  EXPECT_EQ(ask_of(tools_request("use first", named)).tool->name_raw, "second");
}

// Embeddings of one text, several, and tokens.
TEST(Ask, CountsInputs) {
  const auto inputs = [](const std::string& input) {
    return ask_of(R"({"model":"m","input":)" + input + "}", Surface::kEmbeddings).inputs;
  };
  EXPECT_EQ(inputs("\"a\""), 1U);
  EXPECT_EQ(inputs(R"(["a","b"])"), 2U);
  EXPECT_EQ(inputs("[1,2,3]"), 1U);
  EXPECT_EQ(inputs("[[1,2],[3],[4]]"), 3U);
}

// A client test that forgets a member should be told.
TEST(Ask, RefusesWhatCannotBeAnswered) {
  EXPECT_EQ(read_ask(R"({"messages":[]})", Surface::kChat).error().param, "model");
  EXPECT_EQ(read_ask(R"({"model":"m"})", Surface::kChat).error().param, "messages");
  EXPECT_EQ(read_ask(R"({"model":"m","messages":[])", Surface::kChat).error().code,
            ErrorCode::kInvalidJson);
}

}  // namespace
}  // namespace penstock::lab
