#include "lab/stream_script.h"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/reply.h"
#include "dialect/surface.h"
#include "json/reader.h"
#include "lab/answer.h"
#include "lab/ask.h"
#include "lab/fault.h"
#include "lab/member.h"
#include "wire/sse.h"

namespace penstock::lab {
namespace {

using dialect::openai::ChunkKind;
using dialect::openai::read_chunk;

const std::string kChat = R"({"model":"m","messages":[{"role":"user","content":"hello there"}]})";

struct Read {
  std::string bytes;
  std::vector<std::string> data;  // of each event, as a client's parser gives it
};

Read stream_of(const Fault& fault, const std::string& body = kChat,
               dialect::Surface surface = dialect::Surface::kChat) {
  const Result<Ask> ask = read_ask(body, surface);
  EXPECT_TRUE(ask.has_value());
  const Answer answer(*ask, fault);
  StreamScript script(answer, fault);
  Read read;
  while (const auto event = script.next()) read.bytes += event->bytes;
  wire::SseParser parser(1 << 20);
  parser.feed(read.bytes);
  while (true) {
    const auto event = parser.next();
    EXPECT_TRUE(event.has_value());
    if (!event || !*event) break;
    if ((*event)->has_data) read.data.emplace_back((*event)->data);
  }
  EXPECT_TRUE(parser.rest().empty());
  return read;
}

std::string text_of(const Read& read) {
  std::string text;
  for (const std::string& data : read.data) {
    std::string_view choices = member(data, "choices");
    if (choices.size() < 3) continue;
    choices = choices.substr(1, choices.size() - 2);
    text += inside_quotes(member(member(choices, "delta"), "content"));
  }
  return text;
}

std::string unary_of(const Fault& fault, const std::string& body = kChat) {
  const Result<Ask> ask = read_ask(body, dialect::Surface::kChat);
  return reply_body(Answer(*ask, fault), fault);
}

// A stream and a unary reply say the same, twice over.
TEST(StreamScript, SaysTheSameAsTheUnaryReply) {
  const Read stream = stream_of({});
  EXPECT_EQ(stream.bytes, stream_of({}).bytes);
  ASSERT_EQ(stream.data.size(), 1U + 16U + 1U + 1U);
  EXPECT_EQ(stream.data.back(), "[DONE]");
  const std::string unary = unary_of({});
  EXPECT_TRUE(json::valid(unary));
  EXPECT_NE(unary.find("\"content\":\"" + text_of(stream) + '"'), std::string::npos);
  EXPECT_EQ(*dialect::openai::read_reply(unary).usage.output, 16U);
}

// max_tokens cuts, and the finish says so.
TEST(StreamScript, ObeysTheLimitOfTheRequest) {
  const std::string body =
      R"({"model":"m","max_tokens":3,"messages":[{"role":"user","content":"x"}]})";
  const Read stream = stream_of({}, body);
  EXPECT_EQ(stream.data.size(), 1U + 3U + 1U + 1U);
  EXPECT_NE(stream.data[4].find("\"length\""), std::string::npos);
}

// Each fault of framing leaves the data as it was.
TEST(StreamScript, FramesAsTold) {
  const Read plain = stream_of({});
  EXPECT_EQ(stream_of({.crlf = true}).data, plain.data);
  EXPECT_NE(stream_of({.crlf = true}).bytes.find("\r\n\r\n"), std::string::npos);
  EXPECT_EQ(stream_of({.comments = true}).data, plain.data);
  EXPECT_TRUE(stream_of({.comments = true}).bytes.starts_with(": "));
  const Read lines = stream_of({.multi_line_data = true});
  EXPECT_EQ(text_of(lines), text_of(plain));
  EXPECT_NE(lines.bytes.find(",\ndata: "), std::string::npos);
}

// What is missing is missing, and nothing else.
TEST(StreamScript, LeavesOutTheEnding) {
  const Read no_done = stream_of({.missing_done = true});
  EXPECT_EQ(no_done.data.size(), 18U);
  EXPECT_NE(no_done.data.back().find("\"stop\""), std::string::npos);
  const Read no_finish = stream_of({.missing_finish = true});
  EXPECT_EQ(no_finish.data.size(), 18U);
  EXPECT_EQ(no_finish.bytes.find("\"stop\""), std::string::npos);
  EXPECT_EQ(no_finish.data.back(), "[DONE]");
}

// Where usage stands: as asked, nowhere, at the end, apart, everywhere.
TEST(StreamScript, TellsUsageAsTold) {
  const auto chunks_with_usage = [](const Read& read) {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < read.data.size(); ++i)
      if (read_chunk(read.data[i]).usage.output) at.push_back(i);
    return at;
  };
  using At = std::vector<std::size_t>;
  const std::string asked = R"({"model":"m","stream":true,"stream_options":{"include_usage":true},)"
                            R"("messages":[{"role":"user","content":"x"}]})";
  EXPECT_EQ(chunks_with_usage(stream_of({})), At{});
  EXPECT_EQ(chunks_with_usage(stream_of({}, asked)), At{18});
  EXPECT_EQ(chunks_with_usage(stream_of({.usage = UsageFault::kNone}, asked)), At{});
  EXPECT_EQ(chunks_with_usage(stream_of({.usage = UsageFault::kLast})), At{17});
  EXPECT_EQ(chunks_with_usage(stream_of({.usage = UsageFault::kSeparate})), At{18});
  EXPECT_EQ(chunks_with_usage(stream_of({.usage = UsageFault::kEvery})).size(), 18U);
  EXPECT_EQ(unary_of({.usage = UsageFault::kNone}).find("usage"), std::string::npos);
}

// A malformed event is one more; the text around it is whole.
TEST(StreamScript, AddsAMalformedEvent) {
  const Read stream = stream_of({.malformed_event_at = 4});
  ASSERT_EQ(stream.data.size(), 20U);
  EXPECT_EQ(read_chunk(stream.data[4]).kind, ChunkKind::kMalformed);
  EXPECT_EQ(text_of(stream), text_of(stream_of({})));
}

// After an error event only [DONE] comes.
TEST(StreamScript, EndsAfterAnErrorEvent) {
  const Read stream = stream_of({.error_event_at = 4});
  ASSERT_EQ(stream.data.size(), 6U);
  EXPECT_EQ(read_chunk(stream.data[4]).kind, ChunkKind::kError);
  EXPECT_EQ(stream.data[5], "[DONE]");
}

// n choices are told apart by their index and each has a finish.
TEST(StreamScript, StreamsSeveralChoices) {
  const std::string body =
      R"({"model":"m","n":2,"max_tokens":2,"messages":[{"role":"user","content":"x"}]})";
  const Read stream = stream_of({}, body);
  EXPECT_EQ(stream.data.size(), 2U + 4U + 2U + 1U);
  dialect::openai::ChoiceSet finished;
  for (const std::string& data : stream.data) finished |= read_chunk(data).finished;
  EXPECT_EQ(finished.count(), 2U);
  EXPECT_EQ(*dialect::openai::read_reply(unary_of({}, body)).usage.output, 4U);
}

// A tool call's pieces are the arguments, which are JSON that fits the schema.
TEST(StreamScript, StreamsAToolCall) {
  const std::string body =
      R"({"model":"m","messages":[{"role":"user","content":"call weather"}],"tools":[)"
      R"({"type":"function","function":{"name":"weather","parameters":{"type":"object",)"
      R"("properties":{"city":{"type":"string"},"days":{"type":"integer"}}}}}]})";
  const Read stream = stream_of({}, body);
  const std::string unary = unary_of({}, body);
  EXPECT_TRUE(json::valid(unary));
  EXPECT_NE(unary.find(R"("name":"weather","arguments":"{\"city\":\")"), std::string::npos);
  EXPECT_NE(unary.find(R"("finish_reason":"tool_calls")"), std::string::npos);
  for (const std::string& data : stream.data)
    EXPECT_NE(read_chunk(data).kind, ChunkKind::kMalformed) << data;
  EXPECT_NE(stream.bytes.find(R"("finish_reason":"tool_calls")"), std::string::npos);
}

// The older surface has text and no roles.
TEST(StreamScript, StreamsCompletions) {
  const Read stream =
      stream_of({}, R"({"model":"m","prompt":"x"})", dialect::Surface::kCompletions);
  EXPECT_EQ(stream.data.size(), 16U + 1U + 1U);
  EXPECT_TRUE(read_chunk(stream.data[0]).has_content);
  EXPECT_NE(stream.data[0].find("\"object\":\"text_completion\""), std::string::npos);
}

}  // namespace
}  // namespace penstock::lab
