#include "wire/request_head.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "wire/head_limits.h"

namespace penstock::wire {
namespace {

using namespace std::string_view_literals;

constexpr HeadLimits kLimits{};
constexpr std::string_view kLine = "POST /v1/chat/completions HTTP/1.1\r\n";
constexpr std::string_view kHost = "Host: penstock\r\n";

struct Seen {
  std::size_t length = 0;
  int status = 0;  // of the error; 0: none
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::size_t needed = 0;  // bytes given when the answer came
  std::string shape;       // all of the head in one line, since its views do not outlive the bytes
};

std::string shape_of(const RequestHead& head) {
  std::string out = std::string(head.method) + ' ' + std::string(head.target) + ' ' +
                    std::to_string(head.version_minor);
  for (const auto& [name, value] : head.headers) {
    out.append("|").append(name).append("=").append(value);
  }
  out += "|" + std::to_string(static_cast<int>(head.framing.kind)) + ":" +
         std::to_string(head.framing.length);
  out += head.keep_alive ? " keep" : " close";
  out += head.expect_continue ? " expect" : "";
  return out;
}

// Gives the bytes in steps that end at `cuts` and at the end, each time in a buffer of its own, so
// that a view kept too long, or a byte read too far, is caught by the sanitizer.
Seen parse_cut(std::string_view text, const std::vector<std::size_t>& cuts,
               HeadLimits limits = kLimits) {
  RequestHeadParser parser(limits);
  RequestHead head;
  std::vector<std::size_t> ends = cuts;
  ends.push_back(text.size());
  for (const std::size_t end : ends) {
    const auto buffer = std::make_unique<char[]>(end);
    text.copy(buffer.get(), end);
    const auto result = parser.parse({buffer.get(), end}, head);
    if (!result) {
      const Error& error = result.error();
      return {.length = 0,
              .status = error.http_status(),
              .code = error.code,
              .message = error.message,
              .needed = end,
              .shape = ""};
    }
    if (*result) {
      return {.length = **result,
              .status = 0,
              .code = ErrorCode::kInternal,
              .message = "",
              .needed = end,
              .shape = shape_of(head)};
    }
  }
  return {};
}

std::vector<std::size_t> every_byte(std::string_view text) {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < text.size(); ++i) cuts.push_back(i);
  return cuts;
}

// Whole, byte by byte, and cut once at each place: always the same answer.
Seen parse_all_ways(std::string_view text, HeadLimits limits = kLimits) {
  const Seen whole = parse_cut(text, {}, limits);
  const auto same = [&whole](const Seen& other) {
    EXPECT_EQ(whole.length, other.length);
    EXPECT_EQ(whole.status, other.status);
    EXPECT_EQ(whole.message, other.message);
    EXPECT_EQ(whole.shape, other.shape);
  };
  same(parse_cut(text, every_byte(text), limits));
  for (std::size_t cut = 1; cut < text.size(); ++cut) same(parse_cut(text, {cut}, limits));
  return whole;
}

std::string with(std::string_view fields) {
  return std::string(kLine) + std::string(kHost) + std::string(fields) + "\r\n";
}

void expect_refused(std::string_view text, int status, std::string_view what) {
  const Seen seen = parse_all_ways(text);
  EXPECT_EQ(seen.status, status) << what;
  EXPECT_EQ(seen.code, ErrorCode::kInvalidRequest) << what;
  EXPECT_FALSE(seen.message.empty()) << what;
}

// What every SDK sends.
TEST(RequestHead, ReadsAnOrdinaryHead) {
  const std::string text = with(
      "Content-Type: application/json\r\nX-Empty:\r\nX-Pad: \t a b \t\r\n"
      "X-Utf8: \xC3\xA9\r\nContent-Length: 30\r\n");
  const Seen seen = parse_all_ways(text + "{\"n\":\n1}");
  EXPECT_EQ(seen.length, text.size());
  EXPECT_EQ(seen.shape,
            "POST /v1/chat/completions 1|Host=penstock|Content-Type=application/json|X-Empty=|"
            "X-Pad=a b|X-Utf8=\xC3\xA9|Content-Length=30|1:30 keep");
}

// The table of frames that two HTTP implementations could read differently.
TEST(RequestHead, RefusesAmbiguousFraming) {
  const std::string sized = "Content-Length: 30\r\n";
  const std::string coded = "Transfer-Encoding: chunked\r\n";
  struct Row {
    std::string_view what;
    std::string fields;
    int status;
  };
  const std::vector<Row> rows = {
      {"length and chunked", sized + coded, 400},
      {"chunked and length", coded + sized, 400},
      {"two different lengths", sized + "Content-Length: 5\r\n", 400},
      {"two equal lengths", sized + sized, 400},
      {"a list of lengths", "Content-Length: 30, 5\r\n", 400},
      {"a list of equal lengths", "Content-Length: 30, 30\r\n", 400},
      {"length with a plus", "Content-Length: +30\r\n", 400},
      {"length in hex", "Content-Length: 0x1e\r\n", 400},
      {"negative length", "Content-Length: -1\r\n", 400},
      {"empty length", "Content-Length:\r\n", 400},
      {"length beyond 64 bits", "Content-Length: 18446744073709551646\r\n", 400},
      {"length with a space inside", "Content-Length: 3 0\r\n", 400},
      {"unknown coding", "Transfer-Encoding: xchunked\r\n", 501},
      {"coding before chunked", "Transfer-Encoding: gzip, chunked\r\n", 501},
      {"chunked not last", "Transfer-Encoding: chunked, identity\r\n", 400},
      {"chunked twice", coded + coded, 400},
      {"chunked twice in one line", "Transfer-Encoding: chunked, chunked\r\n", 400},
      {"chunked and an empty element", "Transfer-Encoding: chunked,\r\n", 400},
      {"chunked with a parameter", "Transfer-Encoding: chunked;q=1\r\n", 501},
      {"chunked in quotes", "Transfer-Encoding: \"chunked\"\r\n", 501},
      {"chunked with a vertical tab",
       "Transfer-Encoding: \x0B"
       "chunked\r\n",
       400},
      {"empty coding", "Transfer-Encoding:\r\n", 400},
      {"identity", "Transfer-Encoding: identity\r\n", 501},
      {"space before the colon", "Transfer-Encoding : chunked\r\n", 400},
      {"tab before the colon", "Transfer-Encoding\t: chunked\r\n", 400},
      {"folded header", sized + "X-A: 1\r\n folded\r\n", 400},
      {"folded with a tab", sized + "X-A: 1\r\n\tfolded\r\n", 400},
      {"header without a colon", sized + "nonsense\r\n", 400},
      {"space in a header name", sized + "X A: 1\r\n", 400},
      {"empty header name", sized + ": 1\r\n", 400},
      {"NUL in a value", sized + std::string("X-A: a\0b\r\n"sv), 400},
      {"NUL in a name", sized + std::string("X\0A: ab\r\n"sv), 400},
      {"DEL in a value",
       sized + "X-A: a\x7f"
               "b\r\n",
       400},
      {"a byte above ASCII in a name", sized + "X\xC3\xA9: b\r\n", 400},
      {"bare CR in a value", sized + "X-A: a\rb\r\n", 400},
      {"bare CR at the end of a value", sized + "X-A: a\r\r\n", 400},
      {"bare LF as line end", sized + "X-A: 1\n", 400},
      {"two hosts", sized + "Host: other\r\n", 400},
      {"two equal hosts", sized + std::string(kHost), 400},
      {"Connection that is no list of tokens", sized + "Connection: a b\r\n", 400},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    expect_refused(with(row.fields), row.status, row.what);
  }
}

TEST(RequestHead, RefusesMalformedRequestLines) {
  struct Row {
    std::string_view line;
    int status;
  };
  const std::vector<Row> rows = {
      {"POST /a HTTP/2.0\r\n", 505},
      {"POST /a HTTP/0.9\r\n", 505},
      {"POST /a HTTP/1.2\r\n", 505},
      {"POST /a HTTP/1.11\r\n", 400},
      {"POST /a HTTP/1\r\n", 400},
      {"POST /a http/1.1\r\n", 400},
      {"POST /a HTTP/1.1 \r\n", 400},
      {"POST /a  HTTP/1.1\r\n", 400},
      {"POST  /a HTTP/1.1\r\n", 400},
      {"POST\t/a HTTP/1.1\r\n", 400},
      {" POST /a HTTP/1.1\r\n", 400},
      {"POST /a\r\n", 400},
      {"POST\r\n", 400},
      {"POST /a b HTTP/1.1\r\n", 400},
      {"POST /a\tb HTTP/1.1\r\n", 400},
      {"POST /a#b HTTP/1.1\r\n", 400},
      {"POST /\xC3\xA9 HTTP/1.1\r\n", 400},
      {"POST a HTTP/1.1\r\n", 400},
      {"POST * HTTP/1.1\r\n", 400},
      {"POST http:/a HTTP/1.1\r\n", 400},
      {"POST http:///a HTTP/1.1\r\n", 400},
      {"POST ftp://host/a HTTP/1.1\r\n", 400},
      {"CONNECT host:443 HTTP/1.1\r\n", 400},
      {"PO(ST /a HTTP/1.1\r\n", 400},
      {"POST /a HTTP/1.1\n", 400},
      {"POST /a HTTP/1.1\r\r\n", 400},
      {"\r\n\r\nPOST /a HTTP/1.1\r\n", 400},
      {"\nPOST /a HTTP/1.1\r\n", 400},
      {"\rPOST /a HTTP/1.1\r\n", 400},
      {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA /a HTTP/1.1\r\n", 400},
      {"\x16\x03\x01\x02", 400},
      {"PRI * HTTP/2.0\r\n", 400},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.line);
    expect_refused(std::string(row.line) + "Host: a\r\n\r\n", row.status, row.line);
  }
}

TEST(RequestHead, TakesTheTargetFormsOfRequests) {
  for (const std::string_view start : {"GET /", "GET /a?b=c%20{d}|e", "OPTIONS *", "GET http://h/a",
                                       "GET HTTPS://h?q", "GET //a", "M-SEARCH /"}) {
    const std::string text = std::string(start) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    EXPECT_EQ(parse_all_ways(text).length, text.size()) << start;
  }
}

// A server ignores one empty line before a request line (RFC 9112 section 2.2), not more.
TEST(RequestHead, SkipsOneEmptyLineInFront) {
  const std::string text = "\r\n" + with("");
  const Seen seen = parse_all_ways(text);
  EXPECT_EQ(seen.length, text.size());
  EXPECT_EQ(seen.shape, "POST /v1/chat/completions 1|Host=penstock|0:0 keep");
}

// Without Host two servers on one address cannot be told apart; HTTP/1.0 had none.
TEST(RequestHead, WantsExactlyOneSoundHost) {
  const auto status = [](std::string_view version, std::string_view fields) {
    return parse_all_ways("GET / HTTP/" + std::string(version) + "\r\n" + std::string(fields) +
                          "\r\n")
        .status;
  };
  EXPECT_EQ(status("1.1", ""), 400);
  EXPECT_EQ(status("1.0", ""), 0);
  EXPECT_EQ(status("1.0", "Host: a\r\nHost: a\r\n"), 400);
  for (const std::string_view good :
       {"a", "a.b-c_d", "127.0.0.1:8080", "[::1]", "[::1]:80", "a:", "%41.example"}) {
    EXPECT_EQ(status("1.1", "host: " + std::string(good) + "\r\n"), 0) << good;
  }
  for (const std::string_view bad :
       {"", "pen stock", "a/b", "a@b", "a:b", "a:80:80", "a:123456", ":80", "[]", "[::1", "[g]",
        "[::1]a", "a\\b", "a, b", "a?b", "a#b", "<a>", "\xC3\xA9"}) {
    EXPECT_EQ(status("1.1", "host: " + std::string(bad) + "\r\n"), 400) << bad;
  }
}

TEST(RequestHead, DecidesTheFraming) {
  const auto shape = [](std::string_view fields) {
    const std::string all = parse_all_ways(with(fields)).shape;
    return all.substr(all.rfind('|') + 1);
  };
  EXPECT_EQ(shape(""), "0:0 keep");
  EXPECT_EQ(shape("content-length: 0\r\n"), "1:0 keep");
  EXPECT_EQ(shape("CONTENT-LENGTH: 007\r\n"), "1:7 keep");
  EXPECT_EQ(shape("Content-Length: 999999999999999999\r\n"), "1:999999999999999999 keep");
  EXPECT_EQ(shape("Transfer-Encoding: Chunked\r\n"), "2:0 keep");
  EXPECT_EQ(shape("Connection: foo, CLOSE\r\n"), "0:0 close");
  EXPECT_EQ(shape("Connection: keep-alive\r\nConnection: close\r\n"), "0:0 close");
}

TEST(RequestHead, Http10ClosesUnlessAskedAndHasNoCodings) {
  const std::string line = "POST / HTTP/1.0\r\n";
  EXPECT_TRUE(parse_all_ways(line + "\r\n").shape.ends_with(" close"));
  EXPECT_TRUE(parse_all_ways(line + "Connection: Keep-Alive\r\n\r\n").shape.ends_with(" keep"));
  EXPECT_EQ(parse_all_ways(line + "Transfer-Encoding: chunked\r\n\r\n").status, 400);
}

// RFC 9110 section 10.1.1. A client that announced no body waits for nothing.
TEST(RequestHead, UnderstandsOnlyTheExpectationOf100) {
  const std::string expects = "Expect: 100-Continue\r\n";
  EXPECT_TRUE(parse_all_ways(with(expects + "Content-Length: 2\r\n")).shape.ends_with("expect"));
  EXPECT_TRUE(
      parse_all_ways(with(expects + "Transfer-Encoding: chunked\r\n")).shape.ends_with("expect"));
  EXPECT_TRUE(parse_all_ways(with(expects)).shape.ends_with("keep"));
  EXPECT_EQ(parse_all_ways(with("Expect: 200-ok\r\n")).status, 417);
  EXPECT_EQ(parse_all_ways(with("Expect:\r\n")).status, 417);
  EXPECT_EQ(parse_all_ways(with(expects + expects)).status, 417);
}

// A limit that only holds once all has been read is no limit.
TEST(RequestHead, RefusesLongTargetsBeforeTheirEnd) {
  const HeadLimits limits{.header_bytes = 1000, .target_bytes = 20, .fields = 9};
  const std::string fits = "GET /" + std::string(19, 'a');
  const Seen seen = parse_cut(fits + "a", every_byte(fits + "a"), limits);
  EXPECT_EQ(seen.status, 414);
  EXPECT_EQ(seen.code, ErrorCode::kUriTooLong);
  EXPECT_EQ(parse_all_ways(fits + " HTTP/1.1\r\nHost: a\r\n\r\n", limits).status, 0);
  EXPECT_EQ(parse_all_ways(fits + "a HTTP/1.1\r\nHost: a\r\n\r\n", limits).status, 414);
}

TEST(RequestHead, RefusesLargeHeadsBeforeTheirEnd) {
  const std::string text = with("X-A: 12345\r\n");
  HeadLimits limits{.header_bytes = text.size(), .target_bytes = 100, .fields = 9};
  EXPECT_EQ(parse_all_ways(text + "more", limits).length, text.size());
  limits.header_bytes -= 1;
  const Seen seen = parse_cut(text, every_byte(text), limits);
  EXPECT_EQ(seen.status, 431);
  EXPECT_EQ(seen.code, ErrorCode::kHeaderTooLarge);
  EXPECT_EQ(seen.needed, limits.header_bytes);
  EXPECT_EQ(parse_all_ways(text + std::string(50, 'x'), limits).status, 431);
}

TEST(RequestHead, RefusesTooManyFields) {
  const HeadLimits limits{.header_bytes = 1000, .target_bytes = 100, .fields = 3};
  EXPECT_EQ(parse_all_ways(with("a: 1\r\nb: 2\r\n"), limits).status, 0);
  EXPECT_EQ(parse_all_ways(with("a: 1\r\nb: 2\r\nc: 3\r\n"), limits).status, 431);
}

// Many fields leave the inline array.
TEST(RequestHead, ReadsAsManyFieldsAsAllowed) {
  std::string fields;
  for (int i = 1; i < 256; ++i) fields += "x-" + std::to_string(i) + ": v\r\n";
  EXPECT_EQ(parse_cut(with(fields), {}).status, 0);
  EXPECT_EQ(parse_cut(with(fields + "y: v\r\n"), {}).status, 431);
}

// What is plainly wrong need not be waited for: a TLS hello on a plain port has no line end.
TEST(RequestHead, RefusesGarbageAtItsFirstByte) {
  EXPECT_EQ(parse_cut("\x16", {}).status, 400);
  EXPECT_EQ(parse_cut("GET / HTTP/2.0\r", {}).status, 505);
  EXPECT_EQ(parse_cut("GET / HTTP/1.1\r\nHost: a\n", {}).status, 400);
}

// Error texts end up in replies and logs: they may not carry the attacker's bytes.
TEST(RequestHead, TellsNamesOnlyShortAndPrintable) {
  const std::string name = "Evil'`" + std::string(100, 'x');
  const Seen seen = parse_cut(with(name + "\x1b[31m: 1\r\n"), {});
  EXPECT_EQ(seen.status, 400);
  EXPECT_LT(seen.message.size(), 120U);
  EXPECT_EQ(seen.message.find('\x1b'), std::string::npos);
  EXPECT_NE(seen.message.find("Evil?`"), std::string::npos);
}

// Pipelined heads: bytes behind the first are left for the next call.
TEST(RequestHead, ReadsOneHeadAfterAnother) {
  const std::string first = with("X-A: 1\r\n");
  const std::string second = "GET /b HTTP/1.0\r\n\r\n";
  const std::string both = first + second;
  RequestHeadParser parser(kLimits);
  RequestHead head;
  EXPECT_FALSE(parser.started());
  auto got = parser.parse(both, head);
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(**got, first.size());
  got = parser.parse(std::string_view(both).substr(first.size()), head);
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(**got, second.size());
  EXPECT_EQ(head.target, "/b");
  EXPECT_EQ(head.headers.size(), 0U);
  ASSERT_TRUE(parser.parse("GET", head));
  EXPECT_TRUE(parser.started());
  parser.reset();
  got = parser.parse(first, head);
  EXPECT_TRUE(got && *got);
}

TEST(RequestHead, WaitsForMoreWithoutBytes) {
  RequestHeadParser parser(kLimits);
  RequestHead head;
  const auto got = parser.parse("", head);
  ASSERT_TRUE(got.has_value());
  EXPECT_FALSE(got->has_value());
}

}  // namespace
}  // namespace penstock::wire
