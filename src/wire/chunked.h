#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/result.h"

namespace penstock::wire {

// Takes a chunked body apart (RFC 9112 section 7.1). Extensions and trailers are checked for
// illegal bytes, then dropped; both are bounded. Copies nothing.
class ChunkedDecoder {
 public:
  static constexpr std::uint64_t kChunkBytesMax = std::uint64_t{1} << 53;
  static constexpr std::size_t kSizeDigitsMax = 16;
  static constexpr std::size_t kExtensionBytesMax = std::size_t{4} << 10;  // a chunk
  static constexpr std::size_t kTrailerBytesMax = std::size_t{8} << 10;    // a body

  struct Piece {
    std::size_t consumed = 0;  // take these off before the next call
    std::string_view data;     // body bytes, within the bytes given; may be empty
    bool done = false;         // the body is complete; bytes not consumed are not part of it
  };

  // malformed: the code of every error: kInvalidRequest for a request's body,
  // kUpstreamBadResponse for a reply's.
  explicit ChunkedDecoder(ErrorCode malformed) noexcept : malformed_(malformed) {}

  // Returns the next piece of the body. Call again with what was not consumed until nothing is
  // left or `done`; a call with bytes always consumes some, unless the body is complete.
  //
  // bytes:  any split of the body, and whatever follows it.
  // errors: the constructor's code; every later call then fails too.
  // cost:   O(bytes) without the chunk data, no allocation.
  [[nodiscard]] Result<Piece> next(std::string_view bytes);

  [[nodiscard]] bool done() const noexcept { return state_ == State::kDone; }

  // Ready for another body.
  void reset() noexcept { *this = ChunkedDecoder(malformed_); }

 private:
  enum class State : std::uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kEndLf,
    kDone,
    kDead,
  };

  // Each returns nullptr, or what is wrong with the byte.
  const char* step(char byte) noexcept;
  const char* step_size(char byte) noexcept;
  const char* step_extension(char byte) noexcept;
  const char* step_trailer(char byte) noexcept;

  ErrorCode malformed_;
  State state_ = State::kSize;
  std::size_t digits_ = 0;
  std::size_t skipped_ = 0;  // bytes of this chunk's extension, or of all trailers
  std::uint64_t left_ = 0;   // bytes of this chunk still to come
};

// For the writing side: append_chunk_head, the data, kChunkEnd; after the last one kLastChunk.
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Appends the size line of a chunk. size > 0: a chunk of 0 would end the body.
void append_chunk_head(std::string& out, std::size_t size);

}  // namespace penstock::wire
