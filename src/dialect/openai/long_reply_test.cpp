#include "dialect/openai/long_reply.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "dialect/openai/reply.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

// Decoys nested, escaped and quoted; the names spelled with escapes; a lone surrogate and a number
// that no machine word holds.
constexpr std::string_view kOdd =
    "{\"id\":\"x\",\"data\":[{\"embedding\":[0.25,-0.5e-3],\"model\":\"up\",\"usage\":"
    "{\"prompt_tokens\":1}}, {\"embedding\":\"AAAA\"}], \"models\":\"up\",\"mode\":\"up\","
    "\"\\\"model\\\":\\\"up\\\"\":\"caf\xC3\xA9 \\\"model\\\":\\\"up\\\" \\ud83d \\\\\", "
    "\"mo\\u0064el\" :\r\n \"u\\\"\\u0070\\\\\" ,\"us\\u0061ge\":{\"prompt_tokens\":7,"
    "\"completion_tokens\":3,\"total_tokens\":10,\"vendor\":1E+2},"
    "\"kv\":{\"model\":\"up\",\"n\":18446744073709551616} }\n";

struct Relayed {
  std::string bytes;
  llm::Usage usage;

  bool operator==(const Relayed&) const = default;
};

void take(std::string& out, std::span<const std::string_view> views) {
  for (const std::string_view view : views) {
    EXPECT_FALSE(view.empty());
    out += view;
  }
}

// What a client gets of a body in pieces that end at `first`, at `second` and then every `size`.
struct Cuts {
  std::size_t first = 0;
  std::size_t second = 0;
  std::size_t size = 1 << 20;
};

Relayed relayed(std::string_view body, std::string_view model, Cuts cuts) {
  LongReply reply(model);
  Relayed out;
  std::size_t at = 0;
  const auto feed = [&](std::size_t end) {
    end = std::clamp(end, at, body.size());
    const std::string piece(body.substr(at, end - at));  // its own memory: no view may outlive it
    take(out.bytes, reply.feed(piece));
    at = end;
  };
  feed(cuts.first);
  feed(cuts.second);
  while (at < body.size()) feed(at + cuts.size);
  take(out.bytes, reply.finish());
  EXPECT_TRUE(reply.finish().empty());
  out.usage = reply.usage();
  return out;
}

Relayed relayed(std::string_view body, std::string_view model) { return relayed(body, model, {}); }

// What becomes of one that is held.
Relayed held(std::string_view body, std::string_view model) {
  const ReplyView view = read_reply(body);
  Relayed out{.bytes = {}, .usage = view.usage};
  restamp(view, model).append_to(out.bytes);
  return out;
}

// A client cannot tell by the bytes whether its reply was held or passed.
TEST(LongReply, IsWhatAHeldReplyIs) {
  for (const std::string_view model : {"chat", "a much longer public name", "q\"uote\\", ""}) {
    EXPECT_EQ(relayed(kOdd, model), held(kOdd, model));
    EXPECT_NE(relayed(kOdd, model).bytes, kOdd);
  }
  for (const std::string_view body :
       {"{}", R"({"model":5,"usage":null})", R"({"model":{"model":"up"}})", R"({"model":["up"]})",
        R"({"model":null,"usage":[]})", R"({"usage":{"prompt_tokens":2}})", R"({"":"model"})",
        R"({"model":"","n":"model","usage":7})", R"({"model":"usage","usage":"model"})"})
    for (const std::size_t size : {1UZ, 100UZ})
      EXPECT_EQ(relayed(body, "chat", {.size = size}), held(body, "chat")) << body;
}

// Packets end anywhere: within a name, a value, an escape, a character.
TEST(LongReply, IsTheSameForEveryCut) {
  for (const std::string_view model : {"chat", "u\"p\\", "up"}) {
    const Relayed want = held(kOdd, model);
    EXPECT_EQ(want.usage, (llm::Usage{.input = 7, .output = 3}));
    for (std::size_t first = 0; first <= kOdd.size(); ++first)
      for (const std::size_t more : {0UZ, 1UZ, 2UZ, 5UZ, 9UZ, 30UZ})
        ASSERT_EQ(relayed(kOdd, model, {.first = first, .second = first + more}), want) << first;
    for (const std::size_t size : {1UZ, 2UZ, 3UZ, 7UZ, 16UZ})
      EXPECT_EQ(relayed(kOdd, model, {.size = size}), want) << size;
  }
}

// A name that is already right keeps its spelling, also when it had to be withheld.
TEST(LongReply, IsUntouchedUnderItsOwnName) {
  EXPECT_EQ(relayed(kOdd, "u\"p\\").bytes, kOdd);
  EXPECT_EQ(relayed(kOdd, "u\"p\\", {.size = 1}).bytes, kOdd);
}

// Nothing waits for later bytes but the model's own value.
TEST(LongReply, WithholdsNothingButTheModel) {
  const std::size_t from = kOdd.find(R"("u\"\u0070)");
  const std::size_t behind = kOdd.find(" ,\"us\\u0061ge");
  LongReply reply("chat");
  std::size_t sent = 0;
  for (std::size_t at = 0; at < kOdd.size(); ++at) {
    for (const std::string_view view : reply.feed(kOdd.substr(at, 1))) sent += view.size();
    if (at < from || at >= behind)
      ASSERT_EQ(sent, at < from ? at + 1 : at + 1 - (behind - from) + 6) << at;
    else
      ASSERT_EQ(sent, at + 1 < behind ? from : from + 6) << at;
  }
}

// JSON does not say which of several counts, so each that a client may take bears the name.
TEST(LongReply, RestampsTheFirstFewOfSeveralModels) {
  const std::string body =
      R"({"model":"a","model":"chat","model":1,"model":"b","model":"c","model":"d","model":"e"})";
  const std::string want = R"({"model":"chat","model":"chat","model":1,"model":"chat",)"
                           R"("model":"chat","model":"chat","model":"e"})";
  for (std::size_t cut = 0; cut <= body.size(); ++cut)
    ASSERT_EQ(relayed(body, "chat", {.first = cut}).bytes, want) << cut;
  EXPECT_EQ(relayed(body, "chat", {.size = 1}).bytes, want);
}

// One call may have to give back a withheld value and withhold the next.
TEST(LongReply, ReleasesOneModelAndWithholdsTheNext) {
  const std::string body = R"({"model":"ch\u0061t","model":"ch\u0061t","model":"up"})";
  for (std::size_t first = 0; first <= body.size(); ++first)
    for (std::size_t second = first; second <= body.size(); ++second)
      ASSERT_EQ(relayed(body, "chat", {.first = first, .second = second}).bytes,
                R"({"model":"ch\u0061t","model":"ch\u0061t","model":"chat"})");
}

// The last usage holds, as it does in a held reply.
TEST(LongReply, TellsTheLastUsage) {
  for (const std::size_t size : {1UZ, 200UZ}) {
    const auto usage = [size](std::string_view body) {
      return relayed(body, "chat", {.size = size}).usage;
    };
    EXPECT_EQ(usage(R"({"usage":{"prompt_tokens":1},"usage":{"prompt_tokens":2}})").input, 2U);
    EXPECT_FALSE(usage(R"({"usage":{"prompt_tokens":1},"usage":null})").told());
    EXPECT_FALSE(usage(R"({"usage":{"prompt_tokens":1,}})").told());
    EXPECT_FALSE(usage(R"({"usage":{"prompt_tokens":1)").told());
    EXPECT_EQ(usage(R"({"usage":{"prompt_tokens":1},"data":[)").input, 1U);
  }
}

std::string model_of(std::size_t bytes) {
  return "{\"model\":\"" + std::string(bytes - 2, 'm') + "\"}";
}

std::string usage_of(std::size_t bytes) {
  constexpr std::string_view kUsage = R"({"prompt_tokens":7})";
  return "{\"usage\":" + std::string(kUsage.substr(0, kUsage.size() - 1)) +
         std::string(bytes - kUsage.size(), ' ') + "}}";
}

// What is kept is bounded, at the same byte for every cut; longer values pass.
TEST(LongReply, KeepsNoMoreThanItsBounds) {
  const std::string model = model_of(LongReply::kModelMax);
  const std::string long_model = model_of(LongReply::kModelMax + 1);
  const std::string usage = usage_of(LongReply::kUsageMax);
  const std::string long_usage = usage_of(LongReply::kUsageMax + 1);
  const std::string long_key = "{\"" + std::string(5000, 'k') + "\":1,\"model\":\"up\"}";
  for (const std::size_t size : {1UZ, 3UZ, 1000UZ, 100'000UZ}) {
    const Cuts cuts{.size = size};
    EXPECT_EQ(relayed(model, "chat", cuts).bytes, R"({"model":"chat"})");
    EXPECT_EQ(relayed(long_model, "chat", cuts).bytes, long_model);
    EXPECT_EQ(relayed(usage, "chat", cuts).usage, (llm::Usage{.input = 7}));
    EXPECT_FALSE(relayed(long_usage, "chat", cuts).usage.told());
    EXPECT_EQ(relayed(long_usage, "chat", cuts).bytes, long_usage);
    EXPECT_EQ(relayed(long_key, "chat", cuts), held(long_key, "chat"));
  }
}

// The longest spelling of a name is still that name.
TEST(LongReply, KnowsNamesInAnySpelling) {
  const std::string body =
      R"({"\u006D\u006F\u0064\u0065\u006C":"up","\u0075\u0073\u0061\u0067\u0065":)"
      R"({"prompt_tokens":7}})";
  for (std::size_t cut = 0; cut <= body.size(); ++cut)
    ASSERT_EQ(relayed(body, "chat", {.first = cut}), held(body, "chat"));
  EXPECT_EQ(held(body, "chat").usage.input, 7U);
}

// An error page, a compressed body, a list: as they came. So is a value that is no JSON string.
TEST(LongReply, PassesWhatItDoesNotUnderstand) {
  for (const std::string_view body :
       {"", "null", "[{\"model\":\"up\"}]", "<html>{\"model\":\"up\"}</html>",
        "\x1F\x8B\x08{\"model\":\"up\"}", "\xEF\xBB\xBF{\"model\":\"up\"}", "{model:\"up\"}",
        "{,\"model\":\"up\"}", "{\"model\" \"up\"}", "{\"a\":1 \"model\":\"up\"}",
        "{\"model\":\"u\\p\"}", "{\"model\":\"u\np\"}", "{\"model\":\"\\u00\"}",
        "{\"mo\\del\":\"up\"}", "{\"model\":\"up"})
    for (const std::size_t size : {1UZ, 2UZ, 100UZ})
      EXPECT_EQ(relayed(body, "chat", {.size = size}).bytes, body);
}

// Cut short, it is what it would have been up to there; a model cut in half goes out as it is.
TEST(LongReply, PassesWhatCameOfACutBody) {
  const std::size_t from = kOdd.find(R"("u\"\u0070)");
  const std::size_t behind = kOdd.find(" ,\"us\\u0061ge");
  const std::string whole = held(kOdd, "chat").bytes;
  for (std::size_t cut = 0; cut < kOdd.size(); ++cut) {
    const std::string_view body = kOdd.substr(0, cut);
    const std::string want =
        cut < behind ? std::string(body) : whole.substr(0, cut - (behind - from) + 6);
    ASSERT_EQ(relayed(body, "chat").bytes, want);
    ASSERT_EQ(relayed(body, "chat", {.size = 1}).bytes, want);
  }
}

}  // namespace
}  // namespace penstock::dialect::openai
