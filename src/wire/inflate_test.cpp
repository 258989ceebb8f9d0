#include "wire/inflate.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <zconf.h>
#include <zlib.h>

namespace penstock::wire {
namespace {

constexpr int kGzip = 15 + 16;
constexpr int kZlib = 15;

std::string deflated(std::string_view plain, int window) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(plain.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

const std::string kText(100'000, 'x');

// Both headers that providers use are understood.
TEST(Inflate, ReadsGzipAndDeflate) {
  EXPECT_EQ(inflate("gzip", deflated(kText, kGzip), kText.size()), kText);
  EXPECT_EQ(inflate("GZIP", deflated("{}", kGzip), 100), "{}");
  EXPECT_EQ(inflate("deflate", deflated(kText, kZlib), kText.size()), kText);
  EXPECT_EQ(inflate("gzip", deflated("", kGzip), 10), "");
}

// A hundred bytes may stand for a gigabyte: nothing beyond the bound is kept.
TEST(Inflate, StopsAtItsBound) {
  EXPECT_FALSE(inflate("gzip", deflated(kText, kGzip), kText.size() - 1).has_value());
}

// What is not whole is nothing, at every cut; other codings are not guessed at.
TEST(Inflate, RefusesWhatItCannotRead) {
  const std::string packed = deflated("{\"usage\":{\"prompt_tokens\":7}}", kGzip);
  for (std::size_t cut = 0; cut < packed.size(); ++cut)
    EXPECT_FALSE(inflate("gzip", std::string_view(packed).substr(0, cut), 1000).has_value()) << cut;
  EXPECT_FALSE(inflate("br", packed, 1000).has_value());
  EXPECT_FALSE(inflate("gzip, gzip", packed, 1000).has_value());
  EXPECT_FALSE(inflate("gzip", "not packed at all", 1000).has_value());
}

}  // namespace
}  // namespace penstock::wire
