#include "dialect/openai/stream.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "dialect/openai/error.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

constexpr std::string_view kRole =
    R"({"id":"x","model":"up","choices":[{"index":0,"delta":{"role":"assistant","content":""},)"
    R"("finish_reason":null}]})";
constexpr std::string_view kWord =
    R"({"id":"x","model":"up","choices":[{"index":0,"delta":{"content":"a"},)"
    R"("finish_reason":null}]})";
constexpr std::string_view kFinish =
    R"({"id":"x","model":"up","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})";
constexpr std::string_view kUsage =
    R"({"id":"x","model":"up","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})";
constexpr std::string_view kDone = "[DONE]";
constexpr std::string_view kBroken = R"({"choices":[{"index":0,"delta":{"conte)";

// One event in the plain spelling, and what became of it.
struct Step {
  Verdict verdict;
  std::string bytes;  // as they would be sent
};

Step feed(StreamReader& reader, std::string_view raw, std::string_view data) {
  Step step;
  step.verdict = reader.on_event({.raw = raw, .data = data, .has_data = true});
  step.verdict.bytes.append_to(step.bytes);
  return step;
}

Step feed(StreamReader& reader, std::string_view data) {
  const std::string raw = "data: " + std::string(data) + "\n\n";
  Step step = feed(reader, raw, std::string_view(raw).substr(6, data.size()));
  step.verdict.bytes = {};  // views of raw, which ends here
  return step;
}

StreamStep last_step(StreamReader& reader, const std::vector<std::string_view>& events) {
  StreamStep last = StreamStep::kDrop;
  for (const std::string_view data : events) last = feed(reader, data).verdict.step;
  return last;
}

// Without a need to edit, what comes in goes out, the very same bytes.
TEST(Stream, ForwardsEventsAsTheyCame) {
  StreamReader reader({});
  for (const std::string_view data : {kRole, kWord, kFinish, kUsage, kDone})
    EXPECT_EQ(feed(reader, data).bytes, "data: " + std::string(data) + "\n\n");
  EXPECT_TRUE(reader.over());
  EXPECT_FALSE(reader.finish_missing());
  EXPECT_EQ(reader.usage(), (llm::Usage{.input = 7, .output = 3}));
  EXPECT_EQ(reader.failure(), StreamFailure::kNone);
}

// Comments, and events without data, pass and mean nothing.
TEST(Stream, RelaysComments) {
  StreamReader reader({.public_model = "chat"});
  for (const std::string_view raw :
       {": keep-alive\n\n", ":\r\n\r\n", "event: ping\n\n", "data\n\n"}) {
    const bool has_data = raw.starts_with("data");
    const Verdict verdict = reader.on_event({.raw = raw, .data = {}, .has_data = has_data});
    EXPECT_EQ(verdict.step, StreamStep::kForward);
    EXPECT_FALSE(verdict.content);
    EXPECT_TRUE(verdict.bytes.unchanged());
    EXPECT_EQ(verdict.bytes.source(), raw);
  }
  EXPECT_EQ(reader.malformed(), 0U);
}

// The caller holds events back until the first content: a retry is free until then.
TEST(Stream, TellsContentFromNone) {
  StreamReader reader({});
  EXPECT_FALSE(feed(reader, kRole).verdict.content);
  EXPECT_FALSE(reader.content_seen());
  EXPECT_TRUE(feed(reader, kWord).verdict.content);
  EXPECT_TRUE(reader.content_seen());
  EXPECT_FALSE(feed(reader, kFinish).verdict.content);
}

TEST(Stream, RestampsTheModelInPlace) {
  StreamReader reader({.public_model = "ch\"at"});
  EXPECT_EQ(feed(reader,
                 R"({"vendor":{"model":"up"},"choices":[{"delta":{"content":"\"model\":\"up\""}}],)"
                 R"( "model" : "up"})")
                .bytes,
            "data: "
            "{\"vendor\":{\"model\":\"up\"},\"choices\":[{\"delta\":{\"content\":\"\\\"model\\\":"
            "\\\"up\\\"\"}}],"
            " \"model\" : \"ch\\\"at\"}\n\n");
  EXPECT_EQ(feed(reader, R"({"model":"ch\"at","choices":[]})").bytes,
            "data: {\"model\":\"ch\\\"at\",\"choices\":[]}\n\n");
  EXPECT_EQ(feed(reader, R"({"model":5,"choices":[]})").bytes,
            "data: {\"model\":5,\"choices\":[]}\n\n");
  EXPECT_EQ(feed(reader, kDone).bytes, kDoneEvent);
}

// With several data lines the data is a copy, and the model must be found again in the raw bytes,
// whatever line ends, comments and fields stand between.
TEST(Stream, RestampsAcrossDataLines) {
  struct Case {
    std::string raw, data, want;
  };
  const std::vector<Case> cases{
      {"data: {\"model\":\"up\",\ndata: \"choices\":[]}\n\n", "{\"model\":\"up\",\n\"choices\":[]}",
       "data: {\"model\":\"chat\",\ndata: \"choices\":[]}\n\n"},
      {"data:{\"choices\":[],\r\n: \"model\":\"up\"\r\nevent: data\r\ndata\r\ndata:  "
       "\"model\":\"up\"}\r\n\r\n",
       "{\"choices\":[],\n\n \"model\":\"up\"}",
       "data:{\"choices\":[],\r\n: \"model\":\"up\"\r\nevent: data\r\ndata\r\ndata:  "
       "\"model\":\"chat\"}\r\n\r\n"},
      {"id: 1\rdata: {\rdatax: \"model\":\"up\"\rdata: \"choices\":[],\"model\"\rdata: "
       ":\"up\"\rdata: }\r\r",
       "{\n\"choices\":[],\"model\"\n:\"up\"\n}",
       "id: 1\rdata: {\rdatax: \"model\":\"up\"\rdata: \"choices\":[],\"model\"\rdata: "
       ":\"chat\"\rdata: }\r\r"},
      {"\xEF\xBB\xBF"
       "data: {\"model\":\"up\",\ndata: \"choices\":[]}\n\n",
       "{\"model\":\"up\",\n\"choices\":[]}",
       "\xEF\xBB\xBF"
       "data: {\"model\":\"chat\",\ndata: \"choices\":[]}\n\n"},
      {"data: {\"id\":1,\ndata: \"model\":\"\"}\n\n", "{\"id\":1,\n\"model\":\"\"}",
       "data: {\"id\":1,\ndata: \"model\":\"chat\"}\n\n"}};
  StreamReader reader({.public_model = "chat"});
  for (const Case& event : cases) {
    EXPECT_EQ(feed(reader, event.raw, event.data).bytes, event.want);
    // The same when the parser hands out a copy of a single line.
    const std::string raw = "data: {\"model\":\"up\",\"choices\":[]}\n\n";
    const std::string data = "{\"model\":\"up\",\"choices\":[]}";
    EXPECT_EQ(feed(reader, raw, data).bytes, "data: {\"model\":\"chat\",\"choices\":[]}\n\n");
  }
}

// Data that is not what the raw bytes say is never guessed at.
TEST(Stream, DoesNotRestampWhatItCannotFind) {
  StreamReader reader({.public_model = "chat"});
  const std::string data = R"({"choices":[],"model":"up"})";
  for (const std::string raw :
       {"data: {}\n\n", "", "data", "data: {\"choices\":[],\"model\":\"UP\"}\n\n",
        "id: {\"choices\":[],\"model\":\"up\"}\n\n"}) {
    EXPECT_EQ(feed(reader, raw, data).bytes, raw);
  }
}

TEST(Stream, HidesOnlyTheUsageChunk) {
  StreamReader reader({.public_model = {}, .hide_usage = HideUsage::kHide});
  constexpr std::string_view kBeside =
      R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],)"
      R"("usage":{"prompt_tokens":7,"completion_tokens":1}})";
  EXPECT_EQ(feed(reader, kBeside).verdict.step, StreamStep::kForward);
  EXPECT_EQ(feed(reader, kFinish).verdict.step, StreamStep::kForward);
  EXPECT_EQ(feed(reader, R"({"choices":[],"moderation":{}})").verdict.step, StreamStep::kForward);
  EXPECT_EQ(feed(reader, kUsage).verdict.step, StreamStep::kDrop);
  EXPECT_EQ(reader.usage(), (llm::Usage{.input = 7, .output = 3}));
  EXPECT_EQ(reader.malformed(), 0U);
  EXPECT_EQ(feed(reader, kDone).verdict.step, StreamStep::kComplete);
}

// The two ways to end well: the terminal, with a finish or without; a finish, then any end.
TEST(Stream, CompletesByTerminalOrFinish) {
  StreamReader silent({});
  EXPECT_EQ(last_step(silent, {kRole, kWord, kDone}), StreamStep::kComplete);
  EXPECT_TRUE(silent.finish_missing());
  EXPECT_EQ(silent.on_end(), StreamEnd::kOver);

  StreamReader cut({});
  EXPECT_EQ(last_step(cut, {kRole, kWord, kFinish}), StreamStep::kForward);
  EXPECT_TRUE(cut.settled());
  EXPECT_EQ(cut.on_end(), StreamEnd::kComplete);
  EXPECT_FALSE(cut.finish_missing());
  EXPECT_EQ(cut.on_end(), StreamEnd::kOver);
}

TEST(Stream, IsInterruptedByAnyOtherEnd) {
  for (const std::vector<std::string_view>& events : std::vector<std::vector<std::string_view>>{
           {}, {kRole}, {kRole, kWord}, {kRole, kWord, kUsage}, {kBroken}}) {
    StreamReader reader({});
    last_step(reader, events);
    EXPECT_FALSE(reader.settled());
    EXPECT_EQ(reader.on_end(), StreamEnd::kInterrupted);
    EXPECT_EQ(reader.failure(), StreamFailure::kInterrupted);
    EXPECT_TRUE(reader.over());
  }
}

TEST(Stream, FailsByAFailingFinish) {
  for (const std::string_view reason : {"error", "abort"}) {
    StreamReader reader({});
    feed(reader, kWord);
    const Step step = feed(reader, R"({"choices":[{"index":0,"delta":{},"finish_reason":")" +
                                       std::string(reason) + "\"}]}");
    EXPECT_EQ(step.verdict.step, StreamStep::kFail);
    EXPECT_EQ(step.verdict.failure, StreamFailure::kFailingFinish);
    EXPECT_EQ(step.bytes, "");
    EXPECT_EQ(feed(reader, kDone).verdict.step, StreamStep::kDrop);
    EXPECT_EQ(reader.on_end(), StreamEnd::kOver);
    EXPECT_FALSE(reader.finish_missing());
  }
}

TEST(Stream, FailsByAnErrorObject) {
  StreamReader reader({});
  feed(reader, kWord);
  feed(reader, kFinish);
  const Step step =
      feed(reader, R"({"error":{"message":"busy","type":"overloaded_error","code":null}})");
  EXPECT_EQ(step.verdict.step, StreamStep::kFail);
  EXPECT_EQ(step.verdict.failure, StreamFailure::kErrorObject);
  EXPECT_EQ(reader.provider_error().message, "busy");
  EXPECT_EQ(reader.on_end(), StreamEnd::kOver);
}

// Dropped and counted, three of them; one more ends the stream. What is around them is unharmed.
TEST(Stream, SurvivesThreeMalformedEvents) {
  StreamReader reader({});
  for (const std::string_view data :
       {kBroken, std::string_view("\xFF\xFE not json"), std::string_view("{\"a\":1}}")}) {
    const Step step = feed(reader, data);
    EXPECT_EQ(step.verdict.step, StreamStep::kDrop);
    EXPECT_TRUE(step.verdict.malformed);
    EXPECT_EQ(step.bytes, "");
    EXPECT_EQ(feed(reader, kWord).verdict.step, StreamStep::kForward);
  }
  EXPECT_EQ(reader.malformed(), 3U);
  const Step fourth = feed(reader, kBroken);
  EXPECT_EQ(fourth.verdict.step, StreamStep::kFail);
  EXPECT_EQ(fourth.verdict.failure, StreamFailure::kMalformed);
  EXPECT_TRUE(fourth.verdict.malformed);
  EXPECT_EQ(reader.malformed(), 4U);
}

// Nothing that follows the end may reach this client or the next one.
TEST(Stream, ThrowsAwayWhatFollowsTheEnd) {
  StreamReader reader({});
  last_step(reader, {kWord, kDone});
  for (const std::string_view data : {kWord, kDone, kBroken, kUsage}) {
    const Step step = feed(reader, data);
    EXPECT_EQ(step.verdict.step, StreamStep::kDrop);
    EXPECT_EQ(step.bytes, "");
  }
  EXPECT_EQ(reader.on_event({.raw = ": x\n\n"}).step, StreamStep::kDrop);
  EXPECT_EQ(reader.usage(), llm::Usage{});
  EXPECT_EQ(reader.malformed(), 0U);
}

// With several choices one finish is not the end: the others' text would be lost.
TEST(Stream, WaitsForAllChoices) {
  const auto choice = [](int index, std::string_view finish) {
    return "{\"choices\":[{\"index\":" + std::to_string(index) +
           ",\"delta\":{\"content\":\"a\"},\"finish_reason\":" + std::string(finish) + "}]}";
  };
  StreamReader reader({.public_model = {}, .choices = 2});
  feed(reader, choice(0, "\"stop\""));
  EXPECT_TRUE(reader.finished());
  EXPECT_FALSE(reader.settled());  // two were asked for
  feed(reader, choice(1, "null"));
  EXPECT_FALSE(reader.finished());
  feed(reader, choice(0, "null"));  // some send more after a finish: it stays finished
  feed(reader, choice(1, "\"length\""));
  EXPECT_TRUE(reader.settled());
  feed(reader, choice(0, "null"));
  EXPECT_TRUE(reader.settled());

  StreamReader cut({.public_model = {}, .choices = 2});
  feed(cut, choice(0, "\"stop\""));
  feed(cut, choice(1, "null"));
  EXPECT_EQ(cut.on_end(), StreamEnd::kInterrupted);

  // An engine that knows no `n` gives one choice; that is still an answer.
  StreamReader single({.public_model = {}, .choices = 2});
  feed(single, choice(0, "\"stop\""));
  EXPECT_EQ(single.on_end(), StreamEnd::kComplete);
}

TEST(StreamError, SaysWhatTheProviderSaid) {
  const ProviderError said{
      .code = "529", .type = "overloaded_error", .param = {}, .message = "busy"};
  const Error late = stream_error(StreamFailure::kErrorObject, said, Sent::kContent);
  EXPECT_EQ(late.code, ErrorCode::kStreamInterrupted);
  EXPECT_EQ(late.message, "The provider reported an error in its stream (overloaded_error): busy");
  EXPECT_EQ(stream_error(StreamFailure::kErrorObject, said, Sent::kNothing).code,
            ErrorCode::kUpstreamOverloaded);
  EXPECT_EQ(stream_error(StreamFailure::kErrorObject, {}, Sent::kNothing).code,
            ErrorCode::kUpstreamError);
  EXPECT_EQ(stream_error(StreamFailure::kMalformed, {}, Sent::kNothing).code,
            ErrorCode::kUpstreamBadResponse);
  for (const StreamFailure failure : {StreamFailure::kInterrupted, StreamFailure::kErrorObject,
                                      StreamFailure::kFailingFinish, StreamFailure::kMalformed}) {
    const Error error = stream_error(failure, {}, Sent::kContent);
    EXPECT_EQ(error.code, ErrorCode::kStreamInterrupted);
    EXPECT_TRUE(error.message.ends_with('.')) << error.message;
  }
}

}  // namespace
}  // namespace penstock::dialect::openai
