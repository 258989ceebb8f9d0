#include "wire/head_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "wire/head_limits.h"
#include "wire/request_head.h"
#include "wire/response_head.h"

namespace penstock::wire {
namespace {

TEST(HeadWriter, WritesWhatTheParsersRead) {
  std::string out;
  append_request_line(out, "POST", "/v1/embeddings?a=b");
  append_header(out, "host", "a:1");
  append_header(out, "content-length", std::uint64_t{18});
  out += kHeadEnd;
  RequestHeadParser requests{HeadLimits{}};
  RequestHead request;
  const auto read = requests.parse(out, request);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ(request.target, "/v1/embeddings?a=b");
  EXPECT_EQ(request.framing.length, 18U);

  out.clear();
  append_status_line(out, 429);
  append_header(out, "content-length", std::uint64_t{0});
  out += kHeadEnd;
  ResponseHeadParser replies{HeadLimits{}};
  ResponseHead reply;
  const auto got = replies.parse(out, RequestMethod::kOther, reply);
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.reason, "Too Many Requests");
}

TEST(HeadWriter, GivesUnknownStatusesAnEmptyReason) {
  std::string out;
  append_status_line(out, 599);
  EXPECT_EQ(out, "HTTP/1.1 599 \r\n");
}

// Values may come from a provider's or client's words: they must never begin another line.
TEST(HeadWriter, LeavesOutBytesThatWouldInjectHeaders) {
  for (std::size_t pad = 0; pad < 20; ++pad) {
    const std::string before(pad, 'p');
    std::string out;
    append_header(out, "x-a", before + std::string("a\r\nx-evil: 1\0\n\x7f\tb\xC3\xA9", 19));
    EXPECT_EQ(out, "x-a: " + before + "ax-evil: 1\tb\xC3\xA9\r\n");
  }
  std::string out;
  append_header(out, "x-a", "\r\n");
  append_header(out, "x-b", "");
  EXPECT_EQ(out, "x-a: \r\nx-b: \r\n");
}

// Names and targets are ours or were checked: anything else is a bug of ours.
TEST(HeadWriterDeathTest, RefusesUnsoundNamesAndTargets) {
  std::string out;
  EXPECT_DEATH(append_header(out, "x a", "1"), "is_token");
  EXPECT_DEATH(append_header(out, "", "1"), "is_token");
  EXPECT_DEATH(append_header(out, "x:\r\ny", std::uint64_t{1}), "is_token");
  EXPECT_DEATH(append_request_line(out, "GET", "/a b"), "target");
  EXPECT_DEATH(append_request_line(out, "GET", ""), "target");
  EXPECT_DEATH(append_request_line(out, "G T", "/"), "is_token");
  EXPECT_DEATH(append_status_line(out, 600), "status");
}

}  // namespace
}  // namespace penstock::wire
