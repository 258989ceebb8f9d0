#include "dialect/openai/error.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "json/reader.h"
#include "json/utf8.h"

namespace penstock::dialect::openai {
namespace {

// SDKs need the four keys always; ours come behind them.
TEST(ErrorBody, HasTheShapeThatSdksRead) {
  Error error(ErrorCode::kModelNotFound, "No model \"x\".");
  error.param = "model";
  error.hint = "Did you mean y?";
  error.detail = "never shown";
  EXPECT_EQ(error_body(error, "id-1"),
            "{\"error\":{\"message\":\"No model \\\"x\\\".\",\"type\":\"invalid_request_error\","
            "\"param\":\"model\",\"code\":\"model_not_found\",\"source\":\"client\","
            "\"hint\":\"Did you mean y?\",\"request_id\":\"id-1\"}}");
}

// Every code has a sentence of its own, and no body is ever broken JSON.
TEST(ErrorBody, IsJsonForEveryCode) {
  for (const ErrorInfo& row : error_table()) {
    const std::string body = error_body(Error(row.code), "id");
    EXPECT_TRUE(json::valid(body)) << body;
    EXPECT_NE(body.find(row.message), std::string::npos) << body;
    EXPECT_NE(body.find("\"param\":null"), std::string::npos) << body;
    EXPECT_EQ(read_error(body).code, row.name);
  }
  EXPECT_TRUE(json::valid(error_body(Error(ErrorCode::kInternal, "\xFF\n\""), "\x01")));
}

TEST(ErrorEvent, IsOneEventMarkedPartial) {
  const std::string event =
      error_event(Error(ErrorCode::kStreamInterrupted, "It\nbroke."), ErrorSource::kGateway, "id");
  EXPECT_EQ(
      event,
      "data: {\"error\":{\"message\":\"It\\nbroke.\",\"type\":\"server_error\",\"param\":null,"
      "\"code\":\"stream_interrupted\",\"source\":\"gateway\",\"request_id\":\"id\"},"
      "\"partial\":true}\n\n");
  EXPECT_EQ(event.find('\n'), event.size() - 2);  // a line end inside would split the event
}

// The shapes that providers and the proxies before them really use.
TEST(ReadError, KnowsTheShapes) {
  const auto read = [](std::string_view body) {
    const ProviderError error = read_error(body);
    return error.code + "|" + error.type + "|" + error.param + "|" + error.message;
  };
  EXPECT_EQ(read(R"({"error":{"message":"m","type":"t","param":"p","code":"c","x":[1.0]}})"),
            "c|t|p|m");
  EXPECT_EQ(read(R"({"error":{"message":"m","type":null,"param":null,"code":null}})"), "|||m");
  EXPECT_EQ(read(R"( {"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}} )"),
            "429|RESOURCE_EXHAUSTED||m");
  EXPECT_EQ(read(R"([{"error":{"code":400,"message":"m"}},{"x":1}])"), "400|||m");
  EXPECT_EQ(read(R"({"error":"text","code":5})"), "5|||text");
  EXPECT_EQ(
      read(R"({"object":"error","message":"m","type":"BadRequestError","param":null,"code":400})"),
      "400|BadRequestError||m");
  EXPECT_EQ(read(R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})"),
            "|overloaded_error||m");
  EXPECT_EQ(read(R"({"message":"m"})"), "|||m");
  EXPECT_EQ(read(R"({"Message":"m"})"), "|||m");
  EXPECT_EQ(read(R"({"detail":"m"})"), "|||m");
  EXPECT_EQ(read(R"({"choices":[{"finish_reason":null}],"error":{"code":502,"message":"m"}})"),
            "502|||m");
  EXPECT_EQ(read(R"({"error":{"error":{"message":"inner"},"code":"c"}})"), "c|||");
}

// What is no error, or no JSON, says nothing and harms nothing.
TEST(ReadError, IsTolerant) {
  for (const std::string_view body :
       {"", "null", "[]", "[1]", "\"x\"", "<html>", "{", "{\"error\":{\"message\":\"m\"}", "{}",
        "{\"error\":null}", "{\"error\":{}}", "{\"type\":\"x\",\"id\":\"y\"}",
        "{\"detail\":[{\"msg\":1}]}", "{\"error\":{\"message\":\"m\"}} x"})
    EXPECT_FALSE(read_error(body).said()) << body;
  const std::string_view whole = R"([{"error":{"message":"m\u00e9","type":"t","code":5}}])";
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_FALSE(read_error(whole.substr(0, cut)).said()) << cut;
}

// A provider's words are copied: bounded, and never cut inside a character.
TEST(ReadError, CutsLongWords) {
  std::string text;
  while (text.size() < 4000) text += "\xE2\x82\xAC";
  const ProviderError error = read_error("{\"error\":{\"message\":\"" + text + "\",\"type\":\"" +
                                         text + "\",\"code\":" + std::string(500, '9') + "}}");
  EXPECT_LE(error.message.size(), ProviderError::kMessageMax);
  EXPECT_GT(error.message.size(), ProviderError::kMessageMax - 4);
  EXPECT_LE(error.type.size(), ProviderError::kWordMax);
  EXPECT_EQ(error.code.size(), ProviderError::kWordMax);
  EXPECT_TRUE(json::valid_utf8(error.message));
  EXPECT_TRUE(json::valid_utf8(error.type));
}

TEST(Classify, GoesByCodeThenType) {
  const auto code = [](std::string_view word) {
    return classify({.code = std::string(word), .type = {}, .param = {}, .message = {}});
  };
  const auto type = [](std::string_view word) {
    return classify({.code = {}, .type = std::string(word), .param = {}, .message = {}});
  };
  EXPECT_EQ(code("rate_limit_exceeded"), ErrorCode::kUpstreamRateLimited);
  EXPECT_EQ(code("429"), ErrorCode::kUpstreamRateLimited);
  EXPECT_EQ(type("RESOURCE_EXHAUSTED"), ErrorCode::kUpstreamRateLimited);
  EXPECT_EQ(type("overloaded_error"), ErrorCode::kUpstreamOverloaded);
  EXPECT_EQ(code("503"), ErrorCode::kUpstreamOverloaded);
  EXPECT_EQ(code("invalid_api_key"), ErrorCode::kUpstreamCredentials);
  EXPECT_EQ(type("server_error"), ErrorCode::kUpstreamError);
  EXPECT_EQ(code("rate_limit_exceeded_not"), ErrorCode::kUpstreamError);
  EXPECT_EQ(classify({}), ErrorCode::kUpstreamError);
}

}  // namespace
}  // namespace penstock::dialect::openai
