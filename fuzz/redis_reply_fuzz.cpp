// rooms: store base
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "store/redis/error_reply.h"
#include "store/redis/reply_parser.h"
#include "store/redis/slot.h"
#include "store/redis/value.h"

// Cuts replies at two places that the input names, and at every byte: the values and the refusal
// must be those of the whole, and no value may be beyond the parser's bounds.
namespace {

using penstock::store::redis::ErrorKind;
using penstock::store::redis::ErrorReply;
using penstock::store::redis::judge_error;
using penstock::store::redis::kSlots;
using penstock::store::redis::ReplyParser;
using penstock::store::redis::Value;
using penstock::store::redis::ValueKind;

struct Outcome {
  std::vector<Value> values;
  bool refused = false;
  bool within = false;

  bool operator==(const Outcome&) const = default;
};

std::size_t check(const Value& value, std::size_t depth) {
  PENSTOCK_ASSERT(depth <= ReplyParser::kDepthMax);
  PENSTOCK_ASSERT(value.text.size() <= ReplyParser::kBytesMax);
  PENSTOCK_ASSERT(value.kind == ValueKind::kList || value.list.empty());
  std::size_t count = 1;
  for (const Value& element : value.list) count += check(element, depth + 1);
  PENSTOCK_ASSERT(count <= ReplyParser::kValuesMax);
  if (value.kind != ValueKind::kError) return count;
  const ErrorReply error = judge_error(value.text);
  if (error.kind == ErrorKind::kMoved || error.kind == ErrorKind::kAsk)
    PENSTOCK_ASSERT(error.slot < kSlots && error.place.port != 0);
  return count;
}

// Pieces end at each of `cuts`, which rise, and at the end.
Outcome parse(std::string_view bytes, std::vector<std::size_t> cuts) {
  ReplyParser parser;
  Outcome out;
  cuts.push_back(bytes.size());
  std::size_t at = 0;
  for (const std::size_t cut : cuts) {
    const std::size_t size = cut - at;
    const auto buffer = std::make_unique<char[]>(size);
    std::copy_n(bytes.data() + at, size, buffer.get());
    std::string_view piece(buffer.get(), size);
    for (;;) {
      const ReplyParser::Step step = parser.next(piece);
      if (step == ReplyParser::Step::kBroken) {
        out.refused = true;
        return out;
      }
      if (step == ReplyParser::Step::kMore) break;
      out.values.push_back(parser.take());
      check(out.values.back(), 0);
    }
    PENSTOCK_ASSERT(piece.empty());
    at = cut;
  }
  out.within = parser.within();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t one = std::size_t{data[0]} % (bytes.size() + 1);
  const std::size_t two = std::size_t{data[1]} % (bytes.size() + 1);
  std::vector<std::size_t> every;
  for (std::size_t i = 1; i < bytes.size(); ++i) every.push_back(i);
  const Outcome whole = parse(bytes, {});
  PENSTOCK_ASSERT(whole == parse(bytes, {std::min(one, two), std::max(one, two)}));
  PENSTOCK_ASSERT(whole == parse(bytes, every));
  return 0;
}
