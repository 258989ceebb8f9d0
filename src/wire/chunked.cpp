#include "wire/chunked.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/assert.h"
#include "base/result.h"
#include "wire/char_class.h"

namespace penstock::wire {

Result<ChunkedDecoder::Piece> ChunkedDecoder::next(std::string_view bytes) {
  if (state_ == State::kDead) return fail(malformed_, "the chunked body was malformed");
  Piece piece;
  while (state_ != State::kDone && piece.consumed < bytes.size()) {
    if (state_ == State::kData) {
      const std::size_t there = bytes.size() - piece.consumed;
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, there));
      piece.data = bytes.substr(piece.consumed, size);
      piece.consumed += size;
      left_ -= size;
      if (left_ == 0) state_ = State::kDataCr;
      return piece;
    }
    if (const char* wrong = step(bytes[piece.consumed]); wrong != nullptr) {
      state_ = State::kDead;
      return fail(malformed_, wrong);
    }
    ++piece.consumed;
  }
  piece.done = state_ == State::kDone;
  return piece;
}

const char* ChunkedDecoder::step(char byte) noexcept {
  switch (state_) {
    case State::kSize: return step_size(byte);
    case State::kExtension: return step_extension(byte);
    case State::kSizeLf:
      if (byte != '\n') return "CR without LF after a chunk size";
      digits_ = 0;
      skipped_ = 0;
      state_ = left_ == 0 ? State::kTrailerStart : State::kData;
      return nullptr;
    case State::kDataCr:
      if (byte != '\r') return "a chunk is not followed by a line end";
      state_ = State::kDataLf;
      return nullptr;
    case State::kDataLf:
      if (byte != '\n') return "a chunk is followed by CR without LF";
      state_ = State::kSize;
      return nullptr;
    case State::kTrailerStart:
    case State::kTrailer: return step_trailer(byte);
    case State::kTrailerLf:
      if (byte != '\n') return "CR without LF in a trailer";
      state_ = State::kTrailerStart;
      return nullptr;
    case State::kEndLf:
      if (byte != '\n') return "the chunked body ends in CR without LF";
      state_ = State::kDone;
      return nullptr;
    case State::kData:
    case State::kDone:
    case State::kDead: break;
  }
  PENSTOCK_ASSERT(false && "a state that takes no single bytes");
  return nullptr;
}

const char* ChunkedDecoder::step_size(char byte) noexcept {
  if (const int digit = hex_value(byte); digit >= 0) {
    if (++digits_ > kSizeDigitsMax) return "a chunk size has too many digits";
    left_ = left_ << 4 | static_cast<std::uint64_t>(digit);
    return nullptr;
  }
  if (digits_ == 0) return "a chunk size is missing or not hexadecimal";
  if (left_ > kChunkBytesMax) return "a chunk size is too large";
  if (byte == '\r') {
    state_ = State::kSizeLf;
    return nullptr;
  }
  if (byte != ';') return "a chunk size is not followed by a line end";
  state_ = State::kExtension;
  return nullptr;
}

const char* ChunkedDecoder::step_extension(char byte) noexcept {
  if (byte == '\r') {
    state_ = State::kSizeLf;
    return nullptr;
  }
  if (!is_value_byte(byte)) return "a control character in a chunk extension";
  return ++skipped_ > kExtensionBytesMax ? "a chunk extension is too long" : nullptr;
}

const char* ChunkedDecoder::step_trailer(char byte) noexcept {
  if (byte == '\r') {
    state_ = state_ == State::kTrailerStart ? State::kEndLf : State::kTrailerLf;
    return nullptr;
  }
  if (!is_value_byte(byte)) return "a control character in a trailer";
  state_ = State::kTrailer;
  return ++skipped_ > kTrailerBytesMax ? "the trailers are too long" : nullptr;
}

void append_chunk_head(std::string& out, std::size_t size) {
  PENSTOCK_ASSERT(size > 0);
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16);
  out.append(digits.data(), written.ptr);
  out.append("\r\n");
}

}  // namespace penstock::wire
