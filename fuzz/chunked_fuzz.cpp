// rooms: wire base
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/error_code.h"
#include "wire/chunked.h"

// Decodes a chunked body under three splits: body, end and refusal must be the same. A body that
// was accepted, written again by us, must decode to itself.
namespace {

using penstock::ErrorCode;
using penstock::wire::ChunkedDecoder;

struct Decoded {
  std::string body;
  std::size_t consumed = 0;
  bool done = false;
  bool refused = false;

  bool operator==(const Decoded&) const = default;
};

// The first feed has `first` bytes, the others `step`.
Decoded decode(std::string_view text, std::size_t first, std::size_t step) {
  ChunkedDecoder decoder(ErrorCode::kInvalidRequest);
  Decoded out;
  std::size_t at = 0;
  while (at < text.size() && !out.done) {
    const std::string_view given = text.substr(at, at == 0 ? first : step);
    const auto buffer = std::make_unique<char[]>(given.size());
    std::memcpy(buffer.get(), given.data(), given.size());
    std::string_view bytes(buffer.get(), given.size());
    while (!bytes.empty() && !out.done) {
      const auto piece = decoder.next(bytes);
      if (!piece) {
        return {.body = "", .consumed = 0, .done = false, .refused = true};
      }
      PENSTOCK_ASSERT(piece->done || piece->consumed > 0);
      PENSTOCK_ASSERT(piece->consumed <= bytes.size());
      out.body += piece->data;
      out.consumed += piece->consumed;
      out.done = piece->done;
      bytes.remove_prefix(piece->consumed);
    }
    at += given.size();
  }
  return out;
}

std::string encode(std::string_view body, std::size_t chunk) {
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += chunk) {
    const std::string_view data = body.substr(at, chunk);
    penstock::wire::append_chunk_head(out, data.size());
    out.append(data).append(penstock::wire::kChunkEnd);
  }
  return out.append(penstock::wire::kLastChunk);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = std::size_t{data[0]} % text.size() + 1;
  const Decoded whole = decode(text, text.size(), 1);
  PENSTOCK_ASSERT(whole == decode(text, 1, 1));
  PENSTOCK_ASSERT(whole == decode(text, cut, text.size()));
  if (whole.done) {
    const std::string again = encode(whole.body, cut);
    const Decoded second = decode(again, cut, 3);
    PENSTOCK_ASSERT(second.done && second.body == whole.body && second.consumed == again.size());
  }
  return 0;
}
