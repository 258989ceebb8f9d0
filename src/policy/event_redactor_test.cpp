#include "policy/event_redactor.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/string.h"
#include "json/utf8.h"
#include "policy/event_texts.h"
#include "policy/identifier_corpus.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"
#include "tests/support/seeded_rng.h"

namespace penstock::policy {
namespace {

std::string delta(std::string_view members, std::string_view finish = "null", int index = 0) {
  return fmt::format(
      R"({{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{{"index":{},"delta":{{{}}},"finish_reason":{}}}]}})",
      index, members, finish);
}
std::string content(std::string_view text) { return delta(fmt::format(R"("content":"{}")", text)); }
const std::string kStop = delta("", "\"stop\"");

class EventRedactorTest : public ::testing::Test {
 protected:
  // What goes out for the events and then the end of the stream.
  std::vector<std::string> all(const std::vector<std::string>& events) {
    EventRedactor redactor(all_, tally_);
    std::vector<std::string> out;
    for (const std::string& event : events)
      EXPECT_EQ(redactor.on_event(EventKind::kChunk, event, out), EventEnd::kMasked) << event;
    redactor.finish(out);
    for (const std::string& event : out) EXPECT_TRUE(json::valid(event)) << event;
    return out;
  }

  // The strings of the members of that name, joined.
  static std::string joined(const std::vector<std::string>& events, std::string_view member) {
    std::string text;
    const std::string start = fmt::format("\"{}\":\"", member);
    for (const std::string& event : events)
      for (std::size_t at = event.find(start); at != std::string::npos;
           at = event.find(start, at)) {
        at += start.size();
        std::size_t end = at;
        while (event[end] != '"') end += event[end] == '\\' ? 2 : 1;
        text += event.substr(at, end - at);
      }
    return text;
  }

  const Redactor all_ = test::build(test::all_patterns());
  Tally tally_{};
};

TEST_F(EventRedactorTest, OneTextGoesOnFromEventToEvent) {
  const auto out = all({content("Hello there, "), content("anna.smi"), content("th@exam"),
                        content("ple.com soon"), kStop});
  EXPECT_EQ(out.front(), content("Hello there, "));  // nothing of it waits
  EXPECT_EQ(joined(out, "content"), "Hello there, [email] soon");
  EXPECT_EQ(out.back(), kStop);
}

TEST_F(EventRedactorTest, WhatIsHeldComesBeforeTheFinish) {
  const auto out = all({content("my friend"), kStop});
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[0], content("my "));
  EXPECT_EQ(
      out[1],
      R"({"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"friend"},"finish_reason":null}]})");
  EXPECT_EQ(out[2], kStop);
}

TEST_F(EventRedactorTest, AFinishWithTextIsSplit) {
  const auto out = all({content("to anna@"), delta(R"("content":"example.com")", "\"stop\"")});
  EXPECT_EQ(joined(out, "content"), "to [email]");
  EXPECT_EQ(out.back(), delta(R"("content":"")", "\"stop\""));
}

TEST_F(EventRedactorTest, TextsAreToldApartByPathAndIndex) {
  const auto call = [](int index, std::string_view text) {
    return delta(fmt::format(R"("tool_calls":[{{"index":{},"function":{{"arguments":"{}"}}}}])",
                             index, text));
  };
  const auto out = all({call(0, R"({\"to\":\"anna.)"), call(1, R"({\"to\":\"bob)"),
                        content("x anna@"), call(0, R"(smith@example.com\"})"),
                        call(1, R"(\\u0040example.com\"})"), content("y.zz"), kStop});
  EXPECT_EQ(joined(out, "arguments"), R"({\"to\":\"{\"to\":\"[email]\"}[email]\"})");
  EXPECT_EQ(joined(out, "content"), "x [email]");
}

TEST_F(EventRedactorTest, ChoicesDoNotMix) {
  const auto said = [](int index, std::string_view text) {
    return delta(fmt::format(R"("content":"{}")", text), "null", index);
  };
  const auto out = all({said(0, "anna"), said(1, "@example.com "), said(0, " is")});
  EXPECT_EQ(joined(out, "content"), "@example.com anna is");
}

TEST_F(EventRedactorTest, RolesNamesAndIdsAreWhole) {
  const std::string first = delta(
      R"("role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"send"}}])");
  EXPECT_EQ(all({first}), std::vector<std::string>{first});
}

// Names that vendors use for one word are no way through either.
TEST_F(EventRedactorTest, OnlyWhatIsListedIsWhole) {
  constexpr std::string_view kText = "mail anna@example.com now";
  for (const std::string_view member : {"code",
                                        "data",
                                        "p",
                                        "detail",
                                        "name",
                                        "status",
                                        "format",
                                        "channel",
                                        "recipient",
                                        "signature",
                                        "mime_type",
                                        "media_type",
                                        "encrypted_content",
                                        "obfuscation",
                                        "object",
                                        "model",
                                        "provider",
                                        "stop_reason",
                                        "finish_reason",
                                        "content"}) {
    const auto said = [member](std::string_view text) {
      return delta(fmt::format(R"("{}":"{}")", member, text));
    };
    for (std::size_t at = 0; at <= kText.size(); ++at) {
      const auto out = all({said(kText.substr(0, at)), said(kText.substr(at)), kStop});
      std::string text = joined(out, member);
      if (member == "finish_reason") text = text.substr(0, text.size() - 4);  // its own, `stop`
      if (member == "object" || member == "model") {                          // every event's own
        text.clear();
        for (const std::string& event : out) text += joined({event.substr(50)}, member);
      }
      ASSERT_EQ(text, "mail [email] now") << member << " at " << at;
    }
  }
}

TEST_F(EventRedactorTest, WordsOfAFewAreWholeInEachEvent) {
  const std::vector<std::string> events{delta(R"("channel":"analysis","content":"a ")"),
                                        delta(R"("channel":"analysis","content":"b ")"), kStop};
  EXPECT_EQ(all(events), events);
}

TEST_F(EventRedactorTest, SoundsPassAsTheyCome) {
  const std::string sound = "UklGR/DE89370400440532013000/" + std::string(67, 'A');
  const auto chunk = [](std::string_view data) {
    return delta(fmt::format(R"("audio":{{"data":"{}"}})", data));
  };
  const std::vector<std::string> events{chunk(sound), chunk(sound), kStop};
  EXPECT_EQ(all(events), events);
  // A piece too short to be told from a word is held back, and nothing overtakes it.
  const auto out = all({chunk(std::string(41, 'B')), chunk(std::string(100, 'C')), kStop});
  EXPECT_EQ(joined(out, "data"), std::string(41, 'B') + std::string(100, 'C'));
}

// A shape nobody knows is a text in pieces: its halves are no way through.
TEST_F(EventRedactorTest, UnknownMembersAreTextsToo) {
  const auto out = all({R"({"answer":"anna.smi"})", R"({"answer":"th@example.com "})"});
  EXPECT_EQ(joined(out, "answer"), "[email] ");
  EXPECT_EQ(all({R"({"anna@example.com":{"x":"bob"}})"}).back(), R"({"[email]":{"x":"bob"}})");
}

TEST_F(EventRedactorTest, ErrorsAreWhole) {
  EventRedactor redactor(all_, tally_);
  std::vector<std::string> out;
  ASSERT_EQ(
      redactor.on_event(EventKind::kError, R"({"error":{"message":"no anna@example.com"}})", out),
      EventEnd::kMasked);
  EXPECT_EQ(out.back(), R"({"error":{"message":"no [email]"}})");
}

TEST_F(EventRedactorTest, WhatIsNoObjectOrHasTooManyTextsIsUnknown) {
  EventRedactor redactor(all_, tally_);
  std::vector<std::string> out;
  for (const char* data : {"[1]", "\"x\"", "{", "{\"a\":\"\xff\"}"})
    EXPECT_EQ(redactor.on_event(EventKind::kChunk, data, out), EventEnd::kUnknown) << data;
  std::string many = "{";
  for (std::size_t i = 0; i <= EventTexts::kTextsMax; ++i)
    many += fmt::format("{}\"t{}\":\"x\"", i == 0 ? "" : ",", i);
  EXPECT_EQ(redactor.on_event(EventKind::kChunk, many + "}", out), EventEnd::kUnknown);
  EXPECT_TRUE(out.empty());
}

// Else the halves of an identifier pass, each as a text of its own.
TEST_F(EventRedactorTest, NothingGoesOnBehindItsFinish) {
  EventRedactor redactor(all_, tally_);
  std::vector<std::string> out;
  const auto on = [&](const std::string& event) {
    return redactor.on_event(EventKind::kChunk, event, out);
  };
  ASSERT_EQ(on(delta(R"("content":"mail anna@exam")", "\"stop\"")), EventEnd::kMasked);
  const std::string empty = delta(R"("role":"assistant","content":"")", "\"stop\"");
  EXPECT_EQ(on(empty), EventEnd::kMasked);  // some say it twice
  EXPECT_EQ(on(delta(R"("content":"bob")", "null", 1)), EventEnd::kMasked);
  out.clear();
  EXPECT_EQ(on(content("ple.com now")), EventEnd::kUnknown);
  EXPECT_EQ(on(delta(R"("unheard_of":"x")")), EventEnd::kUnknown);
  EXPECT_TRUE(out.empty());
}

TEST_F(EventRedactorTest, TheWordNullIsNoFinish) {
  const auto out = all({delta(R"("content":"mail anna@exam")", "\"null\""),
                        delta(R"("content":"ple.com now")", "\"null\""), kStop});
  EXPECT_EQ(joined(out, "content"), "mail [email] now");
}

// The same place under another spelling is no second text.
TEST_F(EventRedactorTest, APlaceHasOneSpelling) {
  const auto out = all({content("to anna@exam"), delta(R"("c\u006fntent":"ple.com now")")});
  EXPECT_EQ(joined(out, R"(c\u006fntent)"), "[email] ");
  EXPECT_EQ(joined(out, "content"), "to now");
  for (const char* index :
       {"0.0", "-0", "0e1", "\"0\"", "{}", "000000000000000000000", "0,\"index\":1"}) {
    EventRedactor redactor(all_, tally_);
    std::vector<std::string> events;
    const std::string odd =
        fmt::format(R"({{"choices":[{{"index":{},"delta":{{"content":"anna@exam"}}}}]}})", index);
    EXPECT_EQ(redactor.on_event(EventKind::kChunk, odd, events), EventEnd::kUnknown) << index;
  }
  EXPECT_EQ(all({R"({"choices":[{"index":null,"delta":{"content":"a "}}]})"}).size(), 1U);
}

TEST_F(EventRedactorTest, LogprobsAreNoWayRound) {
  const auto out = all(
      {R"({"choices":[{"delta":{"content":"a "},"logprobs":{"content":[{"token":"anna"}]}}]})"});
  EXPECT_EQ(out.front(), R"({"choices":[{"delta":{"content":"a "},"logprobs":null}]})");
}

TEST_F(EventRedactorTest, LinesOfDataBecomeOne) {
  EXPECT_EQ(all({"{\"choices\":\n[]}"}).front(), "{\"choices\": []}");
}

// The corpus, each identifier cut into three events at random.
TEST_F(EventRedactorTest, IdentifiersInPiecesAreMaskedLikeWholeOnes) {
  penstock::test::SeededRng rng(9);
  for (const test::Sample& sample : test::identifier_corpus(rng, 1000)) {
    const std::string text = sample.text();
    std::vector<std::string> events;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1 + rng.below(text.size() / 2 + 1);
      while (end < text.size() && json::continues_character(text[end])) ++end;
      std::string raw;
      json::append_escaped(raw, std::string_view(text).substr(at, end - at));
      events.push_back(content(raw));
      at = end;
    }
    events.push_back(kStop);
    std::string wanted;
    json::append_escaped(wanted, sample.masked());
    ASSERT_EQ(joined(all(events), "content"), wanted) << text;
  }
}

}  // namespace
}  // namespace penstock::policy
