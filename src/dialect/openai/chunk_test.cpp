#include "dialect/openai/chunk.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

std::string with_delta(std::string_view delta) {
  return "{\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":" + std::string(delta) +
         ",\"finish_reason\":null}]}";
}

TEST(Chunk, ReadsAnOrdinaryOne) {
  const ChunkView chunk =
      read_chunk(R"({"id":"x","object":"chat.completion.chunk","model":"up","choices":[{"index":0,)"
                 R"("delta":{"content":"hi"},"finish_reason":null}],"usage":null})");
  EXPECT_EQ(chunk.kind, ChunkKind::kChunk);
  EXPECT_TRUE(chunk.has_content);
  EXPECT_FALSE(chunk.finish());
  EXPECT_FALSE(chunk.usage_only);
  EXPECT_EQ(chunk.model_raw, "up");
  EXPECT_TRUE(chunk.seen.test(0));
  EXPECT_EQ(chunk.usage, llm::Usage{});
}

TEST(Chunk, KnowsTheTerminal) {
  for (const std::string_view data : {"[DONE]", " [DONE]", "[DONE] \r", "\t[DONE]\n"})
    EXPECT_EQ(read_chunk(data).kind, ChunkKind::kDone) << data;
  for (const std::string_view data : {"[DONE", "[done]", "\"[DONE]\"", "[DONE][DONE]"})
    EXPECT_EQ(read_chunk(data).kind, ChunkKind::kMalformed) << data;
}

// Whatever is no JSON object.
TEST(Chunk, CallsTheRestMalformed) {
  const std::vector<std::string_view> bad{"",
                                          " ",
                                          "{\"choices\":[{\"index\":0,\"delta\":{\"conte",
                                          "\xFF\xFE not json",
                                          "{\"a\":1}}",
                                          "[]",
                                          "null",
                                          "5",
                                          "\"x\"",
                                          "{\"choices\":[],}",
                                          "{\"choices\":[{\"delta\":{\"content\":\"\xFF\"}}]}"};
  for (const std::string_view data : bad)
    EXPECT_EQ(read_chunk(data).kind, ChunkKind::kMalformed) << data;
  const std::string whole = with_delta("{\"content\":\"hi\"}");
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_EQ(read_chunk(std::string_view(whole).substr(0, cut)).kind, ChunkKind::kMalformed)
        << cut;
}

// An engine may send objects of its own between the chunks; they are the client's to make sense of.
TEST(Chunk, LeavesAVendorsOwnObjectsAlone) {
  for (const std::string_view data : {"{}", R"({"x_vendor":1})", R"({"model":"m"})"}) {
    const ChunkView chunk = read_chunk(data);
    EXPECT_EQ(chunk.kind, ChunkKind::kChunk) << data;
    EXPECT_FALSE(chunk.has_content || chunk.finish() || chunk.usage_only) << data;
  }
}

// An error outranks choices and usage beside it: OpenRouter and others send all three.
TEST(Chunk, PutsErrorsFirst) {
  for (const std::string_view data :
       {R"({"error":{"message":"m"}})", R"({"error":"text"})",
        R"({"error":{"code":5},"choices":[]})",
        R"({"choices":[{"delta":{"content":"x"},"finish_reason":null}],"error":{"code":502}})",
        R"({"choices":[],"usage":{"prompt_tokens":1},"error":true})",
        R"({"object":"error","message":"m","code":400})"}) {
    EXPECT_EQ(read_chunk(data).kind, ChunkKind::kError) << data;
    EXPECT_FALSE(read_chunk(data).usage_only) << data;
  }
  for (const std::string_view data : {R"({"error":null,"choices":[]})", R"({"error":{},"id":"x"})",
                                      R"({"error":"","object":"x"})"})
    EXPECT_EQ(read_chunk(data).kind, ChunkKind::kChunk) << data;
}

// Content commits the reply and ends free retries, so it must be neither missed nor invented.
TEST(Chunk, TellsContentFromNone) {
  for (const std::string_view delta :
       {R"({"content":"x"})", R"({"refusal":"no"})", R"({"reasoning_content":"hm"})",
        R"({"reasoning":" "})",
        R"({"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]})",
        R"({"function_call":{"name":"f"}})", R"({"audio":{"data":"AA"}})",
        R"({"content":[{"type":"text"}]})",
        R"({"role":"assistant","content":"","reasoning_content":"\u2026"})",
        R"({"cont\u0065nt":"x"})"})
    EXPECT_TRUE(read_chunk(with_delta(delta)).has_content) << delta;
  for (const std::string_view delta :
       {"{}", "null", "5", R"({"role":"assistant","content":""})",
        R"({"content":null,"refusal":null})", R"({"tool_calls":[]})", R"({"audio":{}})",
        R"({"vendor":{"content":"x"}})", R"({"name":"bot"})"})
    EXPECT_FALSE(read_chunk(with_delta(delta)).has_content) << delta;
  EXPECT_TRUE(read_chunk(R"({"choices":[{"index":0,"text":"x"}]})").has_content);
  EXPECT_FALSE(read_chunk(R"({"choices":[{"index":0,"text":""}]})").has_content);
  EXPECT_TRUE(read_chunk(R"({"choices":[{"message":{"content":"x"}}]})").has_content);
  EXPECT_TRUE(read_chunk(R"({"choices":[{"delta":{}},{"delta":{"content":"x"}}]})").has_content);
  EXPECT_FALSE(read_chunk(R"({"content":"x","id":"y"})").has_content);
}

TEST(Chunk, KnowsWhichChoicesFinished) {
  const ChunkView chunk = read_chunk(
      R"({"choices":[{"index":2,"finish_reason":"stop"},{"index":5,"finish_reason":null},)"
      R"({"index":9999,"finish_reason":"length"}]})");
  EXPECT_TRUE(chunk.finished.test(2));
  EXPECT_FALSE(chunk.finished.test(5));
  EXPECT_TRUE(chunk.finished.test(kChoicesMax - 1));
  EXPECT_EQ(chunk.seen.count(), 3U);
  EXPECT_TRUE(read_chunk(R"({"choices":[{"finish_reason":"stop"}]})").finished.test(0));
  EXPECT_FALSE(read_chunk(R"({"choices":[{"finish_reason":""}]})").finish());
  EXPECT_TRUE(read_chunk(R"({"choices":[{"finish_reason":"abort"}]})").finish_failed);
  EXPECT_FALSE(read_chunk(R"({"choices":[{"finish_reason":"stop"}]})").finish_failed);
}

// Only the chunk that include_usage adds may be hidden.
TEST(Chunk, KnowsTheUsageChunk) {
  const ChunkView only =
      read_chunk(R"({"choices":[ ],"usage":{"prompt_tokens":7,"completion_tokens":3}})");
  EXPECT_TRUE(only.usage_only);
  EXPECT_EQ(only.usage, (llm::Usage{.input = 7, .output = 3}));
  for (const std::string_view data :
       {R"({"choices":[],"usage":null})", R"({"choices":[]})", R"({"choices":null,"usage":{}})",
        R"({"usage":{"prompt_tokens":7}})",
        R"({"choices":[{"delta":{}}],"usage":{"prompt_tokens":7}})"})
    EXPECT_FALSE(read_chunk(data).usage_only) << data;
}

}  // namespace
}  // namespace penstock::dialect::openai
