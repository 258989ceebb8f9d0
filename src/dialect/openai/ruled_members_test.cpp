#include "dialect/openai/ruled_members.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/result.h"
#include "dialect/openai/request.h"
#include "dialect/surface.h"
#include "json/reader.h"

namespace penstock::dialect::openai {
namespace {

// members: behind the model.
RuledMembers ruled(const std::string& members) {
  static std::string body;  // the views point into it
  body = R"({"model":"m",)" + members + "}";
  const Result<RequestView> view = read_request(body, Surface::kChat);
  EXPECT_TRUE(view) << body;
  return view ? view->ruled : RuledMembers();
}

TEST(RuledMembers, ReadsValuesAsTheyAreWritten) {
  const RuledMembers said =
      ruled(R"("max_tokens" : 40 , "max_completion_tokens":null,"n":2,"best_of":1e1)");
  EXPECT_EQ(said.max_tokens, "40");
  EXPECT_EQ(said.max_completion_tokens, "null");
  EXPECT_EQ(said.n, "2");
  EXPECT_EQ(said.best_of, "1e1");
  EXPECT_TRUE(said.tools.empty() && said.twice.empty() && said.respelled.empty());
  EXPECT_EQ(ruled(R"("max_t\u006fkens":7)").max_tokens, "7") << "an escape changes no name";
}

TEST(RuledMembers, KnowsWhatHandsOverATool) {
  for (const char* asks :
       {R"("tools":[{}])", R"("tools":{})", R"("tools":"x")", R"("tools":false)",
        R"("functions":[{"name":"f"}])", R"("tool_choice":"auto")", R"("tool_choice":{})",
        R"("function_call":{"name":"f"})", R"("web_search_options":{})",
        R"("search_parameters":{"mode":"on"})", R"("plugins":[{"id":"web"}])",
        R"("mcp_servers":[{"url":"x"}])", R"("chat_template_kwargs":{"custom_tools":[1]})",
        R"("data_sources":[{"type":"x"}])", R"("enable_search":true)", R"("extra_body":{"a":1})",
        R"("tools":[],"functions":[1])", R"("t\u006Fols":[1])", R"("tools":[null])"})
    EXPECT_NE(ruled(asks).tools, "") << asks;
  for (const char* asks_not :
       {R"("tools":[])", R"("tools":[ ])", R"("tools":null)", R"("functions":null)",
        R"("tool_choice":"none")", R"("tool_choice":null)", R"("function_call":"n\u006fne")",
        R"("web_search_options":null)", R"("plugins":[])", R"("mcp_servers":null)",
        R"("chat_template_kwargs":{"enable_thinking":false,"effort":"low"})",
        R"("metadata":{"tools":[1]})", R"("tool":[1])"})
    EXPECT_EQ(ruled(asks_not).tools, "") << asks_not;
  EXPECT_EQ(ruled(R"("functions":[1],"tools":[1])").tools, "functions");
}

TEST(RuledMembers, KnowsOtherNamesForACeilingAndForModels) {
  for (const char* name :
       {"n_predict", "num_predict", "max_new_tokens", "max_output_tokens", "max_length",
        "max_tokens_to_sample", "maxOutputTokens", "generation_config", "generationConfig",
        "options", "num_return_sequences", "extra_body"})
    EXPECT_EQ(ruled("\"" + std::string(name) + "\":5").other_ceiling, name);
  EXPECT_EQ(ruled(R"("n_predict":null)").other_ceiling, "");
  for (const char* name : {"models", "fallbacks", "provider", "route", "preset", "lora_path",
                           "adapter_id", "user_config", "extra_body"}) {
    EXPECT_EQ(ruled("\"" + std::string(name) + "\":[\"a\"]").other_models, name);
    EXPECT_EQ(ruled("\"" + std::string(name) + "\":null").other_models, "");
  }
}

// Templates turn messages into the prompt. Switches are no template.
TEST(RuledMembers, KnowsWhatMayLeaveMessagesOut) {
  for (const char* name : {"chat_template", "template", "truncate_prompt_tokens", "truncation_side",
                           "prompt_truncate_len", "transforms", "system", "extra_body"})
    EXPECT_EQ(ruled("\"" + std::string(name) + "\":1").other_template, name);
  for (const char* may : {R"({"chat_template":"x"})", R"({"a":true,"b":[1]})", R"("x")", "[]"})
    EXPECT_EQ(ruled("\"chat_template_kwargs\":" + std::string(may)).other_template,
              "chat_template_kwargs")
        << may;
  for (const char* may_not : {R"("chat_template":null)", R"("chat_template_kwargs":null)",
                              R"("chat_template_kwargs":{"enable_thinking":false,"budget":5})"})
    EXPECT_EQ(ruled(may_not).other_template, "") << may_not;
}

// The last one counts in most readers, the first one in some.
TEST(RuledMembers, NoticesWhatStandsThereTwice) {
  EXPECT_EQ(ruled(R"("max_tokens":1,"max_tokens":9)").twice, "max_tokens");
  EXPECT_EQ(ruled(R"("max_tokens":1,"m\u0061x_tokens":9)").twice, "max_tokens");
  EXPECT_EQ(ruled(R"("tools":[],"x":1,"tools":[1])").twice, "tools");
  EXPECT_EQ(ruled(R"("max_tokens":1,"max_completion_tokens":9,"x":1,"x":2)").twice, "");
  EXPECT_EQ(ruled(R"("chat_template_kwargs":{},"chat_template_kwargs":{"a":"b"})").twice,
            "chat_template_kwargs");
  EXPECT_EQ(ruled(R"("tools":[],"tools":[],"n":1,"n":2)").counted_twice, "n");
  EXPECT_EQ(ruled(R"("tools":[],"tools":[],"prompt":["a","b"],"prompt":"a")").counted_twice,
            "prompt");
  EXPECT_EQ(ruled(R"("tools":[],"tools":[])").counted_twice, "");
}

// A reader written in Go takes any of these for the member itself.
TEST(RuledMembers, NoticesWhatIgnoresCase) {
  EXPECT_EQ(ruled(R"("Tools":[1])").respelled, "tools");
  EXPECT_EQ(ruled(R"("MAX_TOKENS":1)").respelled, "max_tokens");
  EXPECT_EQ(ruled(R"("Model":"other")").respelled, "model");
  EXPECT_EQ(ruled(R"("messageS":[])").respelled, "messages");
  EXPECT_EQ(ruled(R"("N":9)").respelled, "n");
  EXPECT_EQ(ruled(R"("MaxOutputTokens":9)").respelled, "maxoutputtokens");
  EXPECT_EQ(ruled(R"("\u0054ools":[1])").respelled, "tools");
  EXPECT_EQ(ruled("\"tool\xC5\xBF\":[1]").respelled, "tools") << "the long s";
  EXPECT_EQ(ruled("\"max_to\xE2\x84\xAA"
                  "ens\":1")
                .respelled,
            "max_tokens")
      << "the Kelvin sign";
  for (const char* other :
       {R"("Tool":1)", R"("maxTokens":1)", R"("X-N":1)", R"("vendor":{"Tools":1})"})
    EXPECT_EQ(ruled(other).respelled, "") << other;
}

TEST(RuledMembers, CountsPrompts) {
  EXPECT_EQ(ruled(R"("prompt":"a")").prompts, 1U);
  EXPECT_EQ(ruled(R"("prompt":["a","b","c"])").prompts, 3U);
  EXPECT_EQ(ruled(R"("prompt":[1,2,3])").prompts, 1U);
  EXPECT_EQ(ruled(R"("prompt":[[1,2],[3]])").prompts, 2U);
  EXPECT_EQ(ruled(R"("prompt":[])").prompts, 1U);
  EXPECT_EQ(ruled(R"("prompt":null)").prompts, 1U);
}

// What goes upstream under rules, for a body whose bytes have their own ways.
class Imposing : public testing::Test {
 protected:
  static std::string edited(std::string_view body, const Imposed& imposed,
                            OutputLimit limit = OutputLimit::kMaxCompletionTokens,
                            Surface surface = Surface::kChat) {
    const Result<RequestView> view = read_request(body, surface);
    EXPECT_TRUE(view) << body;
    if (!view) return {};
    std::string out;
    const UpstreamEdits edits{
        .model = view->model, .limit = limit, .surface = surface, .imposed = imposed};
    upstream_edits(*view, edits).append_to(out);
    EXPECT_TRUE(json::valid(out)) << out;
    return out;
  }
  static std::string limited(std::string_view body,
                             OutputLimit limit = OutputLimit::kMaxCompletionTokens,
                             Surface surface = Surface::kChat) {
    Imposed imposed;
    imposed.output_each = 100;
    imposed.output_unsaid = 60;
    return edited(body, imposed, limit, surface);
  }
};

TEST_F(Imposing, SaysTheLimitWhereNothingIsSaid) {
  EXPECT_EQ(limited(R"({"model":"m"})"), R"({"max_completion_tokens":60,"model":"m"})");
  EXPECT_EQ(limited(R"({ "model":"m"})", OutputLimit::kMaxTokens),
            R"({"max_tokens":60, "model":"m"})");
  EXPECT_EQ(limited(R"({"model":"m"})", OutputLimit::kMaxCompletionTokens, Surface::kCompletions),
            R"({"max_tokens":60,"model":"m"})");
  EXPECT_EQ(limited(R"({"model":"m","max_completion_tokens": null})"),
            R"({"model":"m","max_completion_tokens": 60})");
  EXPECT_EQ(limited(R"({"model":"m","max_tokens":null})"),
            R"({"max_completion_tokens":60,"model":"m","max_tokens":null})");
}

TEST_F(Imposing, LowersOnlyWhatIsAbove) {
  EXPECT_EQ(limited(R"({"model":"m","max_tokens": 100 })"), R"({"model":"m","max_tokens": 100 })");
  EXPECT_EQ(limited(R"({"model":"m","max_tokens":101})"), R"({"model":"m","max_tokens":100})");
  EXPECT_EQ(limited(R"({"model":"m","max_tokens":99,"max_completion_tokens":1000})"),
            R"({"model":"m","max_tokens":99,"max_completion_tokens":100})");
  EXPECT_EQ(limited(R"({"model":"m","max_tokens":1000000000000000000000000000000})"),
            R"({"model":"m","max_tokens":100})");
}

// A provider that does not know the newer name would answer at any length.
TEST_F(Imposing, SaysItInTheWordsOfTheProvider) {
  EXPECT_EQ(limited(R"({"model":"m","max_completion_tokens":60})", OutputLimit::kMaxTokens),
            R"({"max_tokens":60,"model":"m","max_completion_tokens":60})");
  EXPECT_EQ(limited(R"({"model":"m","max_tokens":40})", OutputLimit::kMaxTokens),
            R"({"model":"m","max_tokens":40})");
  EXPECT_EQ(limited(R"({"model":"m","max_completion_tokens":60})",
                    OutputLimit::kMaxCompletionTokens, Surface::kCompletions),
            R"({"max_tokens":60,"model":"m","max_completion_tokens":60})");
}

TEST_F(Imposing, PutsAMessageFirst) {
  const Imposed imposed{.first_message = R"({"role":"system","content":"x"},)"};
  EXPECT_EQ(
      edited(R"({"model":"m", "messages" : [ {"role":"user"} ], "v":1.50})", imposed),
      R"({"model":"m", "messages" : [{"role":"system","content":"x"}, {"role":"user"} ], "v":1.50})");
  EXPECT_EQ(edited(R"({"messages":[ ],"model":"m"})", imposed),
            R"({"messages":[{"role":"system","content":"x"} ],"model":"m"})");
}

// As many edits as there can be: model, usage, both limits, one more, a message.
TEST_F(Imposing, DoesItAllAtOnce) {
  const std::string body =
      R"({"model":"m","stream":true,"messages":[1],"max_tokens":900,"max_completion_tokens":null})";
  const Result<RequestView> view = read_request(body, Surface::kChat);
  ASSERT_TRUE(view);
  UpstreamEdits edits{.model = "up", .usage = ForceUsage::kForce};
  edits.imposed.first_message = "0,";
  edits.imposed.output_each = 100;
  edits.imposed.output_unsaid = 100;
  std::string out;
  upstream_edits(*view, edits).append_to(out);
  EXPECT_EQ(
      out,
      R"({"stream_options":{"include_usage":true},"model":"up","stream":true,"messages":[0,1],"max_tokens":100,"max_completion_tokens":null})");
}

// Some templates take tools from a message, whoever's it is.
TEST(RuledMembers, MessagesMayHandTools) {
  for (const char* hand : {R"([{"role":"developer","tools":[{"type":"function"}]}])",
                           R"([1,{"role":"user"},{"\u0054ools":{"a":1}}])",
                           R"([{"functions":[{}]}],"tools":[])", "[{\"tool\u017F\":1}]"})
    EXPECT_TRUE(messages_hand_tools(hand)) << hand;
  for (const char* hand_not :
       {"[]", R"([{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}}]}])",
        R"([{"tools":[]},{"tools":null}])", R"([{"content":[{"tools":[1]}]},"tools"])",
        R"([],"tools":[1])"})
    EXPECT_FALSE(messages_hand_tools(hand_not)) << hand_not;
}

}  // namespace
}  // namespace penstock::dialect::openai
