#include "wire/response_head.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "wire/framing.h"
#include "wire/head_limits.h"

namespace penstock::wire {
namespace {

using namespace std::string_view_literals;

constexpr HeadLimits kLimits{};

struct Answer {
  std::size_t length = 0;
  bool refused = false;
  std::size_t needed = 0;
  std::string shape;
};

std::string shape_of(const ResponseHead& head) {
  std::string out = std::to_string(head.version_minor) + ' ' + std::to_string(head.status) + ' ' +
                    std::string(head.reason);
  for (const auto& [name, value] : head.headers) {
    out.append("|").append(name).append("=").append(value);
  }
  out += "|" + std::to_string(static_cast<int>(head.framing.kind)) + ":" +
         std::to_string(head.framing.length);
  out += head.keep_alive ? " keep" : " close";
  return out;
}

Answer parse_stepwise(std::string_view text, std::size_t from, std::size_t step,
                      RequestMethod method, HeadLimits limits) {
  ResponseHeadParser parser(limits);
  ResponseHead head;
  for (std::size_t end = from; end <= text.size(); end += step) {
    const auto buffer = std::make_unique<char[]>(end);
    text.copy(buffer.get(), end);
    const auto got = parser.parse({buffer.get(), end}, method, head);
    if (!got) {
      EXPECT_EQ(got.error().code, ErrorCode::kUpstreamBadResponse);
      EXPECT_FALSE(got.error().message.empty());
      return {.length = 0, .refused = true, .needed = end, .shape = ""};
    }
    if (*got) return {.length = **got, .refused = false, .needed = end, .shape = shape_of(head)};
  }
  return {};
}

// Whole, byte by byte, and cut once at each place.
Answer parse_all_ways(std::string_view text, RequestMethod method = RequestMethod::kOther,
                      HeadLimits limits = kLimits) {
  const Answer whole = parse_stepwise(text, text.size(), 1, method, limits);
  const auto same = [&whole](const Answer& other) {
    EXPECT_EQ(whole.length, other.length);
    EXPECT_EQ(whole.refused, other.refused);
    EXPECT_EQ(whole.shape, other.shape);
  };
  same(parse_stepwise(text, 1, 1, method, limits));
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    same(parse_stepwise(text, cut, text.size() - cut, method, limits));
  }
  return whole;
}

std::string shape(std::string_view text, RequestMethod method = RequestMethod::kOther) {
  const Answer answer = parse_all_ways(text, method);
  if (!answer.refused) EXPECT_EQ(answer.length, text.size());
  return answer.refused ? "refused" : answer.shape;
}

TEST(ResponseHead, ReadsAnOrdinaryHead) {
  EXPECT_EQ(
      shape("HTTP/1.1 200 All right\r\nContent-Type: a/b\r\nX-A:\r\ncontent-length: 5\r\n\r\n"),
      "1 200 All right|Content-Type=a/b|X-A=|content-length=5|1:5 keep");
}

// RFC 9112 section 6.3, each case in its order.
TEST(ResponseHead, DecidesTheFraming) {
  constexpr RequestMethod kHead = RequestMethod::kHead;
  EXPECT_EQ(shape("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", kHead),
            "1 200 OK|Content-Length=5|0:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 200 OK\r\n\r\n", kHead), "1 200 OK|0:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 204 No Content\r\n\r\n"), "1 204 No Content|0:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 204 N\r\nContent-Length: 0\r\n\r\n"),
            "1 204 N|Content-Length=0|0:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 304 N\r\nContent-Length: 7\r\n\r\n"),
            "1 304 N|Content-Length=7|0:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n"),
            "1 200 OK|Transfer-Encoding=CHUNKED|2:0 keep");
  EXPECT_EQ(shape("HTTP/1.1 200 OK\r\n\r\n"), "1 200 OK|3:0 close");
  EXPECT_EQ(shape("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n"),
            "1 200 OK|Connection=close|Content-Length=1|1:1 close");
}

// A reply that may not have a body and announces one could be followed by it on the connection.
TEST(ResponseHead, DoesNotReuseAfterABodyThatShouldNotBe) {
  EXPECT_TRUE(shape("HTTP/1.1 204 N\r\nContent-Length: 3\r\n\r\n").ends_with("0:0 close"));
  EXPECT_TRUE(shape("HTTP/1.1 204 N\r\nTransfer-Encoding: chunked\r\n\r\n").ends_with("0:0 close"));
}

TEST(ResponseHead, Http10ClosesUnlessTold) {
  EXPECT_EQ(shape("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n"),
            "0 200 OK|Content-Length=1|1:1 close");
  EXPECT_EQ(shape("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n"),
            "0 200 OK|Connection=keep-alive|Content-Length=1|1:1 keep");
}

// Interim heads are handed out one by one; what follows them is left alone.
TEST(ResponseHead, ReportsInterimHeads) {
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  const std::string text =
      interim + "HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
  ResponseHeadParser parser(kLimits);
  ResponseHead head;
  std::string_view rest = text;
  for (const int status : {100, 103, 200}) {
    const auto got = parser.parse(rest, RequestMethod::kOther, head);
    ASSERT_TRUE(got && *got);
    EXPECT_EQ(head.status, status);
    EXPECT_EQ(head.interim(), status < 200);
    if (head.interim()) EXPECT_EQ(head.framing.kind, Framing::Kind::kNone);
    rest.remove_prefix(**got);
  }
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(shape("HTTP/1.1 101 Switching Protocols\r\n\r\n"), "refused");
}

// Nothing here can be read in two ways.
TEST(ResponseHead, ToleratesWhatIsHarmless) {
  EXPECT_EQ(shape("HTTP/1.1 200\r\n\r\n"), "1 200 |3:0 close");
  EXPECT_EQ(shape("HTTP/1.1 200 \r\n\r\n"), "1 200 |3:0 close");
  EXPECT_EQ(shape("HTTP/1.1 200 caf\xC3\xA9\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"),
            "1 200 caf\xC3\xA9|Content-Length=5|Content-Length=5|1:5 keep");
  EXPECT_TRUE(shape("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n").ends_with("1:5 keep"));
  EXPECT_TRUE(shape("HTTP/1.1 200 OK\r\nConnection: a b\r\nContent-Length: 5\r\n\r\n")
                  .ends_with("1:5 keep"));
}

TEST(ResponseHead, RefusesMalformedHeads) {
  const std::vector<std::string> heads = {
      "SSH-2.0-OpenSSH_9.2\r\n\r\n",
      "\r\nHTTP/1.1 200 OK\r\n\r\n",
      "http/1.1 200 OK\r\n\r\n",
      "HTTP/2.0 200 OK\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.2 200 OK\r\n\r\n",
      "HTTP/1.1  200 OK\r\n\r\n",
      "HTTP/1.1200 OK\r\n\r\n",
      "HTTP/1.11 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1 2x0 OK\r\n\r\n",
      "HTTP/1.1 099 OK\r\n\r\n",
      "HTTP/1.1 600 OK\r\n\r\n",
      "HTTP/1.1 200-OK\r\n\r\n",
      "HTTP/1.1\r\n\r\n",
      "HTTP/1.\r\n\r\n",
      "HTTP/1.1 200 O\x01K\r\n\r\n",
      "HTTP/1.1 200 OK\rX\r\n\r\n",
      "HTTP/1.1 200 OK\n\n",
      "HTTP/1.1 200 OK\r\nX-A: 1\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A: 1\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX-A : 1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
      "HTTP/1.1 200 OK\r\n: 1\r\n\r\n",
      std::string("HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n"sv),
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5,\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: ,5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551621\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\n",
      "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  };
  for (const std::string& head : heads) EXPECT_EQ(shape(head), "refused") << head;
}

// Whoever answers SSH or TLS on this port should not hold us until the first-byte time-out.
TEST(ResponseHead, RefusesWhatIsNotHttpAtItsFirstByte) {
  EXPECT_EQ(parse_stepwise("SSH-2.0", 1, 1, RequestMethod::kOther, kLimits).needed, 1U);
  EXPECT_EQ(parse_stepwise("HTTP/2.0 200", 1, 1, RequestMethod::kOther, kLimits).needed, 6U);
  EXPECT_EQ(parse_stepwise("\x15\x03", 1, 1, RequestMethod::kOther, kLimits).needed, 1U);
}

TEST(ResponseHead, IsBounded) {
  const std::string text = "HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\n\r\n";
  const auto refused = [&](std::size_t bytes, std::size_t fields) {
    const HeadLimits limits{.header_bytes = bytes, .target_bytes = 1, .fields = fields};
    return parse_all_ways(text, RequestMethod::kOther, limits).refused;
  };
  EXPECT_FALSE(refused(text.size(), 2));
  EXPECT_TRUE(refused(text.size() - 1, 2));
  EXPECT_TRUE(refused(text.size(), 1));
}

}  // namespace
}  // namespace penstock::wire
