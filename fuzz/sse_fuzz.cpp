// rooms: wire base
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "wire/sse.h"

// Cuts a stream at two places that the input names, and at every byte: events, their raw bytes and
// the rest must be those of the whole, and all bytes together must be the stream.
namespace {

using penstock::wire::SseEvent;
using penstock::wire::SseParser;

constexpr std::size_t kEventBytesMax = 200;  // small, so that the fuzzer reaches it

struct Outcome {
  std::string raw;      // all raw bytes, then the rest
  std::string meaning;  // the events, in words
  bool refused = false;

  bool operator==(const Outcome&) const = default;
};

void note(Outcome& out, const SseEvent& event) {
  PENSTOCK_ASSERT(!event.raw.empty() && event.raw.size() <= kEventBytesMax);
  PENSTOCK_ASSERT(event.raw.back() == '\n' || event.raw.back() == '\r');
  PENSTOCK_ASSERT(event.has_data || event.data.empty());
  PENSTOCK_ASSERT(!(event.has_data && event.comment_only));
  PENSTOCK_ASSERT(event.data.find('\r') == std::string_view::npos);
  out.raw += event.raw;
  out.meaning += "[" + std::to_string(event.raw.size()) + "|" + std::string(event.event) + "|" +
                 std::string(event.data) + "|" + (event.has_data ? "d" : "") +
                 (event.comment_only ? "c" : "") + "]";
}

// Pieces end at each of `cuts`, which rise, and at the end.
Outcome parse(std::string_view text, std::vector<std::size_t> cuts) {
  SseParser parser(kEventBytesMax);
  Outcome out;
  cuts.push_back(text.size());
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    const std::size_t size = cut - at;
    const auto buffer = std::make_unique<char[]>(size);
    std::copy_n(text.data() + at, size, buffer.get());
    parser.feed({buffer.get(), size});
    for (;;) {
      const auto event = parser.next();
      if (!event) {
        out.refused = true;
        return out;
      }
      if (!*event) break;
      note(out, **event);
    }
    at = cut;
  }
  if (const auto last = parser.finish()) note(out, *last);
  out.meaning += parser.rest();
  out.raw += parser.rest();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t one = std::size_t{data[0]} % (text.size() + 1);
  const std::size_t two = std::size_t{data[1]} % (text.size() + 1);
  std::vector<std::size_t> every;
  for (std::size_t i = 1; i < text.size(); ++i) every.push_back(i);
  const Outcome whole = parse(text, {});
  PENSTOCK_ASSERT(whole.refused || whole.raw == text);
  PENSTOCK_ASSERT(whole == parse(text, {std::min(one, two), std::max(one, two)}));
  PENSTOCK_ASSERT(whole == parse(text, every));
  return 0;
}
