#include "wire/inflate.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <zconf.h>
#include <zlib.h>

#include "wire/header_list.h"

namespace penstock::wire {
namespace {

constexpr int kGzipOrZlib = 15 + 32;  // zlib.h, inflateInit2: the largest window, either header
constexpr std::size_t kStep = std::size_t{16} << 10;

}  // namespace

bool can_inflate(std::string_view coding) noexcept {
  return equals_ignore_case(coding, "gzip") || equals_ignore_case(coding, "x-gzip") ||
         equals_ignore_case(coding, "deflate");
}

std::optional<std::string> inflate(std::string_view coding, std::string_view bytes,
                                   std::size_t bytes_max) {
  if (!can_inflate(coding)) return std::nullopt;
  if (bytes.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  z_stream stream{};
  if (::inflateInit2(&stream, kGzipOrZlib) != Z_OK) return std::nullopt;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, &::inflateEnd);
  // zlib does not write to its input; its field is not const in this build.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string plain;
  while (plain.size() <= bytes_max) {
    const std::size_t had = plain.size();
    plain.resize(had + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(plain.data() + had);
    stream.avail_out = static_cast<uInt>(kStep);
    const int end = ::inflate(&stream, Z_NO_FLUSH);
    plain.resize(had + kStep - stream.avail_out);
    if (end == Z_STREAM_END && plain.size() <= bytes_max) return plain;
    if (end != Z_OK || plain.size() == had) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace penstock::wire
