#include "wire/sse.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"

namespace penstock::wire {
namespace {

struct Event {
  std::string raw;
  std::string data;
  std::string event;
  bool has_data;
  bool comment_only;

  bool operator==(const Event&) const = default;
};

struct Stream {
  std::vector<Event> events;
  std::string rest;
  bool refused = false;

  bool operator==(const Stream&) const = default;

  [[nodiscard]] std::string bytes() const {
    std::string all;
    for (const Event& event : events) all += event.raw;
    return all + rest;
  }
};

void keep(Stream& stream, const SseEvent& event) {
  stream.events.push_back({std::string(event.raw), std::string(event.data),
                           std::string(event.event), event.has_data, event.comment_only});
}

// Feeds pieces that end at `cuts`, each in a buffer of its own.
Stream parse(std::string_view text, std::vector<std::size_t> cuts, std::size_t max = 1 << 20) {
  SseParser parser(max);
  Stream stream;
  cuts.push_back(text.size());
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    const std::string_view given = text.substr(at, cut - at);
    const auto buffer = std::make_unique<char[]>(given.size());
    given.copy(buffer.get(), given.size());
    parser.feed({buffer.get(), given.size()});
    for (;;) {
      const auto event = parser.next();
      if (!event) {
        EXPECT_EQ(event.error().code, ErrorCode::kUpstreamBadResponse);
        EXPECT_FALSE(parser.next().has_value()) << "dead means dead";
        EXPECT_FALSE(parser.finish().has_value());
        stream.refused = true;
        return stream;
      }
      if (!*event) break;
      keep(stream, **event);
    }
    at = cut;
  }
  if (const auto last = parser.finish()) keep(stream, *last);
  EXPECT_FALSE(parser.finish().has_value());
  stream.rest = parser.rest();
  return stream;
}

// Whole, byte by byte, cut once and cut twice at every place; nothing may be lost or change.
Stream parse_all_ways(std::string_view text) {
  const Stream whole = parse(text, {});
  EXPECT_EQ(whole.bytes(), text);
  std::vector<std::size_t> every;
  for (std::size_t i = 1; i < text.size(); ++i) every.push_back(i);
  EXPECT_EQ(whole, parse(text, every));
  for (std::size_t first = 0; first < text.size(); ++first) {
    for (std::size_t second = first; second < text.size(); ++second) {
      EXPECT_EQ(whole, parse(text, {first, second})) << first << ' ' << second;
    }
  }
  return whole;
}

Event data_event(std::string raw, std::string data) {
  return {.raw = std::move(raw),
          .data = std::move(data),
          .event = "",
          .has_data = true,
          .comment_only = false};
}

TEST(Sse, CutsPlainEvents) {
  const Stream got = parse_all_ways("data: {\"a\":1}\n\ndata:b\n\ndata: [DONE]\n\n");
  const std::vector<Event> wanted = {data_event("data: {\"a\":1}\n\n", "{\"a\":1}"),
                                     data_event("data:b\n\n", "b"),
                                     data_event("data: [DONE]\n\n", "[DONE]")};
  EXPECT_EQ(got.events, wanted);
  EXPECT_EQ(got.rest, "");
}

// Providers end lines in all three ways; proxies mix them.
TEST(Sse, TakesAllLineEndsMixed) {
  const Stream crlf = parse_all_ways("data: a\r\n\r\ndata: b\r\n\r\n");
  EXPECT_EQ(crlf.events,
            (std::vector{data_event("data: a\r\n\r\n", "a"), data_event("data: b\r\n\r\n", "b")}));
  const Stream cr = parse_all_ways("data: a\r\rdata: b\r\r");
  EXPECT_EQ(cr.events,
            (std::vector{data_event("data: a\r\r", "a"), data_event("data: b\r\r", "b")}));
  const Stream mixed = parse_all_ways("data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r");
  EXPECT_EQ(mixed.events,
            (std::vector{data_event("data: a\r\n\n", "a"), data_event("data: b\n\r\n", "b"),
                         data_event("data: c\r\r\n", "c"), data_event("data: d\n\r", "d")}));
}

// WHATWG: lines join with LF, one space after the colon goes, the last event name stays.
TEST(Sse, InterpretsFields) {
  const Stream got = parse_all_ways(
      "event: a\nid: 7\ndata: {\"x\":\ndata:  1}\ndata\nevent: b\nDATA: no\ndatax: no\n\n");
  ASSERT_EQ(got.events.size(), 1U);
  EXPECT_EQ(got.events[0].data, "{\"x\":\n 1}\n");
  EXPECT_EQ(got.events[0].event, "b");
}

TEST(Sse, TellsEmptyDataFromNoData) {
  const Stream got = parse_all_ways("data\n\ndata:\n\nid: 1\n\ndata\ndata\n\n");
  ASSERT_EQ(got.events.size(), 4U);
  EXPECT_TRUE(got.events[0].has_data && got.events[0].data.empty());
  EXPECT_TRUE(got.events[1].has_data && got.events[1].data.empty());
  EXPECT_FALSE(got.events[2].has_data);
  EXPECT_FALSE(got.events[2].comment_only);
  EXPECT_EQ(got.events[3].data, "\n");
}

// Comments are relayed but are no sign of life.
TEST(Sse, TellsCommentBlocks) {
  const Stream got = parse_all_ways(": ping\n\n:\n:b\n\n: c\ndata: d\n\n\n: unfinished");
  ASSERT_EQ(got.events.size(), 4U);
  EXPECT_TRUE(got.events[0].comment_only);
  EXPECT_TRUE(got.events[1].comment_only);
  EXPECT_EQ(got.events[2], data_event(": c\ndata: d\n\n", "d"));
  EXPECT_EQ(got.events[3].raw, "\n");
  EXPECT_FALSE(got.events[3].comment_only || got.events[3].has_data);
  EXPECT_EQ(got.rest, ": unfinished");
}

// Only at the very start, and never removed from the bytes.
TEST(Sse, SeesPastTheByteOrderMark) {
  const Stream got = parse_all_ways(
      "\xEF\xBB\xBF"
      "data: a\n\n\xEF\xBB\xBF"
      "data: b\n\n");
  ASSERT_EQ(got.events.size(), 2U);
  EXPECT_EQ(got.events[0].data, "a");
  EXPECT_FALSE(got.events[1].has_data);
  EXPECT_EQ(parse_all_ways("\xEF\xBB\xBF\ndata: a\n\n").events.back().data, "a");
}

// A stream that breaks off inside an event: its bytes are there, the event is not.
TEST(Sse, KeepsTheUnfinishedRest) {
  EXPECT_EQ(parse_all_ways("data: a\n\ndata: b\n").rest, "data: b\n");
  EXPECT_EQ(parse_all_ways("data: a\r").rest, "data: a\r");
  EXPECT_EQ(parse_all_ways("").rest, "");
}

// The LF that may follow belongs to the event, so it waits; at the end it waits no more.
TEST(Sse, HoldsAnEventWhoseCrMayHaveAnLf) {
  SseParser parser(1000);
  parser.feed("data: a\r\n\r");
  auto got = parser.next();
  ASSERT_TRUE(got.has_value());
  EXPECT_FALSE(got->has_value());
  parser.feed("\ndata: b\r\r");
  got = parser.next();
  ASSERT_TRUE(got && *got);
  EXPECT_EQ((*got)->raw, "data: a\r\n\r\n");
  got = parser.next();
  ASSERT_TRUE(got.has_value());
  EXPECT_FALSE(got->has_value());
  EXPECT_EQ(parser.rest(), "data: b\r\r");
  const auto last = parser.finish();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->raw, "data: b\r\r");
  EXPECT_EQ(last->data, "b");
  EXPECT_EQ(parser.rest(), "");
}

// The bound holds for what is unfinished as well, and is the same however the bytes come.
TEST(Sse, RefusesEventsBeyondTheLimit) {
  const std::string event = "data: 12345\r\n\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{4}, event.size() * 2}) {
    std::vector<std::size_t> cuts;
    for (std::size_t i = step; i < event.size() * 2; i += step) cuts.push_back(i);
    EXPECT_EQ(parse(event + event, cuts, event.size()).events.size(), 2U);
    const Stream over = parse(event + event, cuts, event.size() - 1);
    EXPECT_TRUE(over.refused);
    EXPECT_TRUE(over.events.empty());
  }
  EXPECT_TRUE(parse(std::string(100, 'x'), {}, 99).refused);
}

// The usual case costs no copy.
TEST(Sse, ViewsTheBytesFedWhenItCan) {
  const std::string text = "data: abc\n\ndata: de";
  SseParser parser(1000);
  parser.feed(text);
  const auto got = parser.next();
  ASSERT_TRUE(got && *got);
  EXPECT_EQ((*got)->raw.data(), text.data());
  EXPECT_EQ((*got)->data.data(), text.data() + 6);
}

// One byte a packet must not cost the square of the event; CR lines must not cost it either.
TEST(Sse, IsLinearInLargeEvents) {
  const std::string event = "data: " + std::string(1 << 20, 'x') + "\n\n";
  SseParser parser(2 << 20);
  std::size_t found = 0;
  for (const char& byte : event) {
    parser.feed({&byte, 1});
    const auto got = parser.next();
    ASSERT_TRUE(got.has_value());
    if (*got) found = (*got)->data.size();
  }
  EXPECT_EQ(found, std::size_t{1} << 20);

  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "x\r";
  const Stream cr = parse(lines + "\rdata: a\n\n", {});
  EXPECT_EQ(cr.events.size(), 2U);
}

}  // namespace
}  // namespace penstock::wire
