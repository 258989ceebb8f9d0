#include "dialect/openai/request.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/result.h"
#include "dialect/surface.h"
#include "json/reader.h"

namespace penstock::dialect::openai {
namespace {

// All that a re-serialising gateway would change, and decoys for each member that is read.
constexpr std::string_view kOdd =
    "{ \"messages\" : [ {\"role\":\"user\",\"content\":\"caf\\u00e9 \xF0\x9F\x9A\xB0 \\\"q\\\" \\/ "
    "\\ud83d\"} ],\r\n"
    "\t\"vendor\":{\"model\":\"chat\",\"stream\":5,\"c\":null} , \"temperature\":1.0e-3,\"model\"  "
    ": \"chat\" ,"
    "\"seed\":123456789012345678901234567890, \"x_exp\":1E400, \"neg\":-0.0,\"n\":2,"
    "\"metadata\":{\"note\":\"say \\\"model\\\":\\\"chat\\\"\",\"stream_options\":1} }";

std::string edited(std::string_view body, std::string_view model,
                   ForceUsage force = ForceUsage::kForce, Surface surface = Surface::kChat) {
  const Result<RequestView> view = read_request(body, surface);
  EXPECT_TRUE(view.has_value()) << body;
  std::string out;
  if (view) upstream_edits(*view, {.model = model, .usage = force}).append_to(out);
  return out;
}

TEST(Request, ReadsWhatTheGatewayNeeds) {
  const auto view = read_request(kOdd, Surface::kChat);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->model, "chat");
  EXPECT_EQ(view->choices, 2U);
  EXPECT_TRUE(view->has_messages);
  EXPECT_FALSE(view->streamed());
  EXPECT_EQ(view->usage, UsageWish::kAbsent);
  EXPECT_FALSE(view->wants_usage());

  const auto stream = read_request(
      R"({"mod\u0065l":"a\/b","str\u0065am":true,"stream_options":{"include_usage":true}})",
      Surface::kChat);
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->model, "a/b");
  EXPECT_TRUE(stream->streamed());
  EXPECT_TRUE(stream->wants_usage());
}

// Null counts as not given, as the API itself has it; embeddings know no streams.
TEST(Request, TakesNullForAbsent) {
  const auto view =
      read_request(R"({"model":"m","stream":null,"stream_options":null,"n":null})", Surface::kChat);
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->streamed());
  EXPECT_EQ(view->usage, UsageWish::kAbsent);
  EXPECT_EQ(view->choices, 1U);
  const auto embeddings = read_request(R"({"model":"m","stream":true})", Surface::kEmbeddings);
  ASSERT_TRUE(embeddings);
  EXPECT_FALSE(embeddings->streamed());
}

TEST(Request, RefusesWhatIsNotOneDocument) {
  const std::string good = R"({"model":"chat","messages":[]})";
  const std::vector<std::string> bad{
      "", " ", R"({"model":"chat","messages":[)", good + " x", good + good, good + "}",
      R"({"model":"chat","messages":[],})", "{'model':'chat'}",
      "{\"model\":\"chat\",\"x\":\"\xFF\xFE\"}", "{\"model\":\"chat\",\"x\":\"a\x01z\"}",
      R"({"model":"chat","x":NaN})", R"({"model":"chat","x":01})", R"({"model":"chat","x":"\q"})",
      R"({"model":"chat","messages":)" + std::string(200'000, '['), "<html></html>",
      // The tail is what makes these broken; the wrong member before it must not hide that.
      R"({"model":5,"x":tru})", R"([1,2)", R"(5 5)"};
  for (const std::string& body : bad) {
    const auto view = read_request(body, Surface::kChat);
    ASSERT_FALSE(view) << body.substr(0, 80);
    EXPECT_EQ(view.error().code, ErrorCode::kInvalidJson) << body.substr(0, 80);
  }
}

TEST(Request, RefusesEveryPrefix) {
  for (std::size_t cut = 0; cut < kOdd.size(); ++cut) {
    const std::vector<char> exact(kOdd.begin(), kOdd.begin() + static_cast<std::ptrdiff_t>(cut));
    const auto view = read_request({exact.data(), exact.size()}, Surface::kChat);
    ASSERT_FALSE(view) << cut;
    EXPECT_EQ(view.error().code, ErrorCode::kInvalidJson) << cut;
  }
}

// A wrong type or a second member of one name is the client's to mend, with the member named.
TEST(Request, RefusesWrongMembers) {
  const std::vector<std::pair<std::string_view, std::string_view>> bad{
      {"[]", ""},
      {"\"chat\"", ""},
      {"null", ""},
      {" 5 ", ""},
      {R"({"messages":[]})", "model"},
      {"{}", "model"},
      {R"({"model":5})", "model"},
      {R"({"model":null})", "model"},
      {R"({"model":["chat"]})", "model"},
      {R"({"model":"chat","model":"chat"})", "model"},
      {R"({"model":"chat","messages":[],"mod\u0065l":"other"})", "model"},
      {R"({"model":"chat","stream":"yes"})", "stream"},
      {R"({"model":"chat","stream":1})", "stream"},
      {R"({"model":"chat","stream":true,"stream":false})", "stream"},
      {R"({"model":"chat","stream":null,"stream":true})", "stream"},
      {R"({"model":"chat","messages":[],"messages":[]})", "messages"},
      {R"({"model":"chat","stream_options":5})", "stream_options"},
      {R"({"model":"chat","stream_options":[]})", "stream_options"},
      {R"({"model":"chat","stream_options":{},"stream_options":{}})", "stream_options"},
      {R"({"model":"chat","stream_options":{"include_usage":1}})", "stream_options.include_usage"},
      {R"({"model":"chat","stream_options":{"include_usage":true,"include_usag\u0065":false}})",
       "stream_options.include_usage"},
      {R"({"stream":5,"model":5})", "stream"}};
  for (const auto& [body, param] : bad) {
    const auto view = read_request(body, Surface::kChat);
    ASSERT_FALSE(view) << body;
    EXPECT_EQ(view.error().code, ErrorCode::kInvalidRequest) << body;
    EXPECT_EQ(view.error().param, param) << body;
  }
}

TEST(UpstreamEdits, ChangeOnlyTheTopLevelModel) {
  const std::size_t at = kOdd.find("\"model\"  : \"chat\"") + 12;
  const std::string before(kOdd.substr(0, at));
  const std::string behind(kOdd.substr(at + 4));
  EXPECT_EQ(edited(kOdd, "up-model"), before + "up-model" + behind);
  EXPECT_EQ(edited(kOdd, "a\"\\\n"), before + "a\\\"\\\\\\n" + behind);
  EXPECT_EQ(edited(kOdd, "chat"), kOdd);
  EXPECT_EQ(edited(R"({"model":"ch\u0061t"})", "chat"), R"({"model":"ch\u0061t"})");
  EXPECT_EQ(edited(R"({"model":""})", "m"), R"({"model":"m"})");
}

// Each way a client can put it; the provider is asked for usage in all of them.
TEST(UpstreamEdits, ForceUsageOnStreams) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {R"({"model":"m","stream":true})",
       R"({"stream_options":{"include_usage":true},"model":"m","stream":true})"},
      {R"( { "model":"m","stream":true})",
       R"( {"stream_options":{"include_usage":true}, "model":"m","stream":true})"},
      {R"({"stream_options":{},"model":"m","stream":true})",
       R"({"stream_options":{"include_usage":true},"model":"m","stream":true})"},
      {R"({"stream_options": { } ,"model":"m","stream":true})",
       R"({"stream_options": {"include_usage":true } ,"model":"m","stream":true})"},
      {R"({"stream_options":{ "vendor":1.0},"model":"m","stream":true})",
       R"({"stream_options":{"include_usage":true, "vendor":1.0},"model":"m","stream":true})"},
      {R"({"model":"m","stream":true, "stream_options": null })",
       R"({"model":"m","stream":true, "stream_options": {"include_usage":true} })"},
      {R"({"model":"m","stream":true,"stream_options":{ "include_usage" : false, "v":1 } })",
       R"({"model":"m","stream":true,"stream_options":{ "include_usage" : true, "v":1 } })"},
      {R"({"model":"m","stream":true,"stream_options":{"x":[{"include_usage":0}],)"
       R"("include_usage":null}})",
       R"({"model":"m","stream":true,"stream_options":{"x":[{"include_usage":0}],)"
       R"("include_usage":true}})"}};
  for (const auto& [body, want] : cases) {
    EXPECT_EQ(edited(body, "m"), want);
    EXPECT_TRUE(json::valid(edited(body, "m")));
    EXPECT_EQ(edited(body, "m", ForceUsage::kLeave), body);
    EXPECT_EQ(edited(body, "m", ForceUsage::kForce, Surface::kEmbeddings), body);
  }
  constexpr std::string_view kAsked =
      R"({"model":"m","stream":true,"stream_options":{"include_usage":true}})";
  EXPECT_EQ(edited(kAsked, "m"), kAsked);
  constexpr std::string_view kUnary = R"({"model":"m","stream":false,"stream_options":{}})";
  EXPECT_EQ(edited(kUnary, "m"), kUnary);
  EXPECT_EQ(edited(R"({"model":"m","stream":true})", "up"),
            R"({"stream_options":{"include_usage":true},"model":"up","stream":true})");
}

}  // namespace
}  // namespace penstock::dialect::openai
