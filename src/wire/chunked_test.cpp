#include "wire/chunked.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_code.h"

namespace penstock::wire {
namespace {

using namespace std::string_view_literals;

struct Decoded {
  std::string body;
  std::size_t consumed = 0;
  bool done = false;
  bool refused = false;

  bool operator==(const Decoded&) const = default;
};

// Feeds [0, cut), then the rest in steps; every feed in a buffer of its own.
Decoded decode(std::string_view text, std::size_t cut, std::size_t step) {
  ChunkedDecoder decoder(ErrorCode::kInvalidRequest);
  Decoded out;
  std::size_t at = 0;
  while (at < text.size() && !out.done) {
    const std::string_view given = text.substr(at, at == 0 ? cut : step);
    const auto buffer = std::make_unique<char[]>(given.size());
    given.copy(buffer.get(), given.size());
    std::string_view bytes(buffer.get(), given.size());
    while (!bytes.empty() && !out.done) {
      const auto piece = decoder.next(bytes);
      if (!piece) {
        EXPECT_EQ(piece.error().code, ErrorCode::kInvalidRequest);
        EXPECT_FALSE(decoder.next(bytes).has_value()) << "dead means dead";
        return {.body = "", .consumed = 0, .done = false, .refused = true};
      }
      EXPECT_TRUE(piece->consumed > 0 || piece->done);
      out.body += piece->data;
      out.consumed += piece->consumed;
      out.done = piece->done;
      bytes.remove_prefix(piece->consumed);
    }
    at += given.size();
  }
  EXPECT_EQ(out.done, decoder.done());
  return out;
}

Decoded decode_all_ways(std::string_view text) {
  const Decoded whole = decode(text, text.size(), 1);
  EXPECT_EQ(whole, decode(text, 1, 1));
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(whole, decode(text, cut, text.size())) << cut;
  }
  return whole;
}

TEST(Chunked, JoinsChunksAndStopsAtTheEnd) {
  const std::string text = "4\r\nab\r\n\r\n00A;x=\"y z\"\r\n0123456789\r\n1\r\n\n\r\n0\r\n\r\n";
  const Decoded got = decode_all_ways(text + "GET / HTTP/1.1\r\n");
  EXPECT_TRUE(got.done);
  EXPECT_EQ(got.body, "ab\r\n0123456789\n");
  EXPECT_EQ(got.consumed, text.size());
}

TEST(Chunked, SkipsTrailers) {
  const Decoded got = decode_all_ways("1\r\na\r\n000;e\r\nX-Sum: 1\r\nY: \xC3\xA9\r\n\r\nrest");
  EXPECT_TRUE(got.done);
  EXPECT_EQ(got.body, "a");
}

TEST(Chunked, TakesAnEmptyBody) {
  EXPECT_TRUE(decode_all_ways("0\r\n\r\n").done);
  EXPECT_FALSE(decode_all_ways("0\r\n\r").done);
  EXPECT_FALSE(decode_all_ways("5\r\nabc").done);
}

// Each of these is read differently somewhere; that difference is how requests are smuggled.
TEST(Chunked, RefusesWhatIsAmbiguous) {
  const std::vector<std::string> bodies = {
      "0x5\r\nhello\r\n0\r\n\r\n",
      "+5\r\nhello\r\n0\r\n\r\n",
      "-5\r\nhello\r\n0\r\n\r\n",
      " 5\r\nhello\r\n0\r\n\r\n",
      "5 \r\nhello\r\n0\r\n\r\n",
      "5 ;a\r\nhello\r\n0\r\n\r\n",
      "5_0\r\nhello\r\n0\r\n\r\n",
      "10000000000000001e\r\nhello\r\n0\r\n\r\n",
      "00000000000000005\r\nhello\r\n0\r\n\r\n",
      "ffffffffffffffff\r\nhello",
      "20000000000001\r\nhello",
      "\r\nhello\r\n0\r\n\r\n",
      ";a\r\nhello\r\n0\r\n\r\n",
      "g\r\nhello\r\n0\r\n\r\n",
      "5\r\nhello0\r\n\r\n",
      "5\r\nhello\n0\r\n\r\n",
      "5\r\nhello\r0\r\n\r\n",
      "5\r\nhello \r\n0\r\n\r\n",
      "5\nhello\r\n0\r\n\r\n",
      "5\rhello\r\n0\r\n\r\n",
      "5;a\nhello\r\n0\r\n\r\n",
      "5;a\rb\r\nhello\r\n0\r\n\r\n",
      std::string("5;a\0b\r\nhello\r\n0\r\n\r\n"sv),
      "5;\x1b\r\nhello\r\n0\r\n\r\n",
      "0\r\n\n",
      "0\r\nX: a\n\r\n",
      "0\r\nX: a\rb\r\n\r\n",
      std::string("0\r\nX: a\0\r\n\r\n"sv),
      "0\r\n\rX",
  };
  for (const std::string& body : bodies) EXPECT_TRUE(decode_all_ways(body).refused) << body;
}

TEST(Chunked, TakesTheLargestSizeOnly) {
  EXPECT_FALSE(decode("20000000000000\r\na", 99, 1).refused);
  EXPECT_FALSE(decode("0000000000000005\r\nhello", 99, 1).refused);
}

// Neither part reaches anyone, so nobody else would bound them.
TEST(Chunked, BoundsExtensionsAndTrailers) {
  const auto extension = [](std::size_t size) {
    return "1;" + std::string(size, 'x') + "\r\na\r\n1;" + std::string(size, 'x') + "\r\n";
  };
  EXPECT_FALSE(decode(extension(ChunkedDecoder::kExtensionBytesMax), 1, 1000).refused);
  EXPECT_TRUE(decode(extension(ChunkedDecoder::kExtensionBytesMax + 1), 1, 1000).refused);
  const auto trailers = [](std::size_t size) {
    return "0\r\n" + std::string(size / 2, 'x') + "\r\n" + std::string(size - size / 2, 'x') +
           "\r\n\r\n";
  };
  EXPECT_FALSE(decode(trailers(ChunkedDecoder::kTrailerBytesMax), 1, 1000).refused);
  EXPECT_TRUE(decode(trailers(ChunkedDecoder::kTrailerBytesMax + 1), 1, 1000).refused);
}

// A connection keeps one decoder; after the end it takes nothing of the next message.
TEST(Chunked, CanBeUsedAgain) {
  ChunkedDecoder decoder(ErrorCode::kUpstreamBadResponse);
  ASSERT_TRUE(decoder.next("0\r\n\r\n"));
  const auto after = decoder.next("5\r\n");
  ASSERT_TRUE(after.has_value());
  EXPECT_TRUE(after->done);
  EXPECT_EQ(after->consumed, 0U);
  decoder.reset();
  const auto wrong = decoder.next("x");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kUpstreamBadResponse);
}

// Zero copy: relays hand the view straight to a write.
TEST(Chunked, GivesViewsOfTheBytesGiven) {
  const std::string text = "5\r\nhello\r\n";
  ChunkedDecoder decoder(ErrorCode::kInvalidRequest);
  const auto piece = decoder.next(text);
  ASSERT_TRUE(piece.has_value());
  EXPECT_EQ(piece->data.data(), text.data() + 3);
  EXPECT_EQ(piece->data, "hello");
}

TEST(Chunked, WritesWhatItReads) {
  std::string out;
  for (const std::size_t size : {1U, 15U, 16U, 255U, 65536U}) {
    append_chunk_head(out, size);
    out.append(size, 'b').append(kChunkEnd);
  }
  out += kLastChunk;
  const Decoded got = decode(out, 7, 1000);
  EXPECT_TRUE(got.done);
  EXPECT_EQ(got.body, std::string(1 + 15 + 16 + 255 + 65536, 'b'));
}

}  // namespace
}  // namespace penstock::wire
