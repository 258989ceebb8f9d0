#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <gtest/gtest.h>

#include "wire/framing.h"
#include "wire/head_limits.h"
#include "wire/header_list.h"
#include "wire/request_head.h"

// Beast is more lenient than we are. So whatever we accept it must accept too, and see the same.
namespace penstock::wire {
namespace {

namespace http = boost::beast::http;

// SplitMix64: fixed seeds, so that a failure comes back.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return static_cast<std::size_t>((mixed ^ (mixed >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

void expect_beast_agrees(std::string_view text, const RequestHead& head, std::size_t length) {
  // Beast knows no empty line in front.
  const std::size_t skipped = text.starts_with("\r\n") ? 2 : 0;
  http::request_parser<http::empty_body> beast;
  beast.header_limit(1 << 20);
  boost::beast::error_code error;
  const std::string_view bytes = text.substr(skipped, length - skipped);
  beast.put(boost::asio::buffer(bytes.data(), bytes.size()), error);
  if (error == http::error::unexpected_body) error = {};
  ASSERT_FALSE(error) << error.message() << " for\n" << text;
  ASSERT_TRUE(beast.is_header_done()) << text;
  const auto& message = beast.get();
  EXPECT_EQ(std::string_view(message.method_string()), head.method);
  EXPECT_EQ(std::string_view(message.target()), head.target);
  EXPECT_EQ(message.version() % 10, static_cast<unsigned>(head.version_minor));
  // With both close and keep-alive Beast keeps an HTTP/1.0 connection. Closing is always safe.
  EXPECT_TRUE(beast.keep_alive() || !head.keep_alive) << text;
  EXPECT_EQ(beast.chunked(), head.framing.kind == Framing::Kind::kChunked);
  if (head.framing.kind == Framing::Kind::kLength) {
    EXPECT_EQ(beast.content_length().value_or(~std::uint64_t{0}), head.framing.length);
  }
  // Beast groups equal names: compare each name's values in order.
  std::size_t fields = 0;
  for (const auto& field : message) {
    const std::string_view name(field.name_string());
    std::size_t before = 0;
    for (auto it = message.begin(); &*it != &field; ++it) {
      before += equals_ignore_case(name, std::string_view(it->name_string())) ? 1U : 0U;
    }
    for (const auto& [ours, value] : head.headers) {
      if (equals_ignore_case(ours, name) && before-- == 0) {
        EXPECT_EQ(value, std::string_view(field.value())) << text;
      }
    }
    ++fields;
  }
  EXPECT_EQ(fields, head.headers.size()) << text;
}

std::string random_head(Draw& draw) {
  static const std::vector<std::string> lines = {"POST /v1/chat/completions HTTP/1.1\r\n",
                                                 "GET /a?b=c HTTP/1.1\r\n",
                                                 "OPTIONS * HTTP/1.1\r\n",
                                                 "GET / HTTP/1.0\r\n",
                                                 "\r\nGET http://h/a HTTP/1.1\r\n",
                                                 "GET / HTTP/2.0\r\n"};
  static const std::vector<std::string> fields = {"Host: a:80\r\n",
                                                  "Content-Length: 12\r\n",
                                                  "Content-Length: 0\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "Transfer-Encoding: gzip\r\n",
                                                  "Connection: close\r\n",
                                                  "Connection: keep-alive, x\r\n",
                                                  "Expect: 100-continue\r\n",
                                                  "X-A: \t b c \t\r\n",
                                                  "X-A:\r\n",
                                                  "x-a: \xC3\xA9,\"q\"\r\n",
                                                  "Accept: */*\r\n",
                                                  "Upgrade: websocket\r\n",
                                                  "Connection: upgrade\r\n",
                                                  "Authorization: Bearer sk-123\r\n",
                                                  " folded\r\n",
                                                  "bad name: 1\r\n"};
  static const std::string bytes("\0\t\n\r :,;aZ09\x7f\x80\xff\"#/[]", 20);
  std::string text = lines[draw.below(lines.size())];
  if (draw.below(8) != 0) text += "Host: penstock\r\n";
  for (std::size_t n = draw.below(6); n > 0; --n) text += fields[draw.below(fields.size())];
  text += "\r\n";
  for (std::size_t n = draw.below(3); n > 0; --n) {
    const std::size_t at = draw.below(text.size());
    const char byte = bytes[draw.below(bytes.size())];
    switch (draw.below(3)) {
      case 0: text[at] = byte; break;
      case 1: text.insert(at, 1, byte); break;
      default: text.erase(at, 1); break;
    }
  }
  return text;
}

TEST(HeadReferee, BeastAcceptsWhatWeAccept) {
  Draw draw(20'261'130);
  std::size_t accepted = 0;
  constexpr int kHeads = 20'000;
  for (int i = 0; i < kHeads && !HasFatalFailure(); ++i) {
    const std::string text = random_head(draw);
    RequestHeadParser parser{HeadLimits{}};
    RequestHead head;
    const auto got = parser.parse(text, head);
    if (!got || !*got) continue;
    ++accepted;
    expect_beast_agrees(text, head, **got);
  }
  EXPECT_GT(accepted, std::size_t{kHeads} / 10);
}

}  // namespace
}  // namespace penstock::wire
