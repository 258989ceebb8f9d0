// rooms: json llm dialect
// Bodies walked in pieces: however they are cut, the members are those that the strict reader
// finds, and a long reply comes out as a held one would.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/openai/long_reply.h"
#include "dialect/openai/reply.h"
#include "json/reader.h"
#include "json/splice.h"
#include "json/string.h"
#include "json/top_level.h"
#include "llm/usage.h"

namespace {

namespace json = penstock::json;
namespace openai = penstock::dialect::openai;
using openai::LongReply;

void require(bool holds) {
  if (!holds) std::abort();
}

// The text as pieces of their own memory. seed: 0 leaves it whole, 1 makes single bytes.
std::vector<std::string> pieces_of(std::string_view text, std::uint64_t seed) {
  std::vector<std::string> pieces;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  while (!text.empty()) {
    state = state * 6364136223846793005 + 1442695040888963407;
    std::size_t size = 1 + ((state >> 33) % 24);
    if (seed == 0) size = text.size();
    if (seed == 1) size = 1;
    size = std::min(size, text.size());
    pieces.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return pieces;
}

struct Walk {
  std::vector<std::pair<std::string, std::string>> members;
  std::string unended;
  bool closed = false;

  bool operator==(const Walk&) const = default;
};

Walk walk(std::string_view text, std::uint64_t seed) {
  Walk out;
  json::TopLevel top_level;
  std::string all;
  for (const std::string& piece : pieces_of(text, seed)) {
    for (std::string_view rest = piece; !rest.empty();) {
      const json::TopLevel::Run run = top_level.next(rest);
      all += run.bytes;
      if (run.part == json::TopLevel::Part::kBetween) {
        require(!run.bytes.empty() && out.unended.empty());
        continue;
      }
      out.unended += run.bytes;
      if (!run.ends) {
        require(rest.empty() && !run.bytes.empty());
        continue;
      }
      if (run.part == json::TopLevel::Part::kKey)
        out.members.emplace_back(out.unended, "");
      else
        out.members.back().second = out.unended;
      out.unended.clear();
    }
  }
  require(all == text);
  out.closed = top_level.closed();
  return out;
}

struct Relayed {
  std::string bytes;
  penstock::llm::Usage usage;

  bool operator==(const Relayed&) const = default;
};

Relayed relay(std::string_view body, std::string_view model, std::uint64_t seed) {
  LongReply reply(model);
  Relayed out;
  const auto take = [&out](std::span<const std::string_view> views) {
    for (const std::string_view view : views) {
      require(!view.empty());
      out.bytes += view;
    }
  };
  for (const std::string& piece : pieces_of(body, seed)) take(reply.feed(piece));
  take(reply.finish());
  out.usage = reply.usage();
  return out;
}

// What the rules say, by the strict reader.
struct Expected {
  Walk walk;
  std::string bytes;
  std::size_t models = 0;  // top-level ones, whatever they are
  bool bounded = true;     // nothing longer than is kept
};

Expected expect(std::string_view body, std::string_view model) {
  Expected out;
  std::size_t copied = 0;
  std::size_t restamps = 0;
  json::Reader reader(body);
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const std::string_view value = reader.skip_value();
    out.walk.members.emplace_back("\"" + std::string(key) + "\"", value);
    if (json::equals(key, "usage") && value.size() > LongReply::kUsageMax) out.bounded = false;
    if (!json::equals(key, "model")) continue;
    ++out.models;
    if (value.size() > LongReply::kModelMax) out.bounded = false;
    if (!value.starts_with('"') || value.size() > LongReply::kModelMax) continue;
    if (json::equals(value.substr(1, value.size() - 2), model)) continue;
    if (restamps++ >= LongReply::kRestampsMax) continue;
    const auto at = static_cast<std::size_t>(value.data() - body.data());
    out.bytes += body.substr(copied, at - copied);
    json::append_quoted(out.bytes, model);
    copied = at + value.size();
  }
  out.bytes += body.substr(copied);
  out.walk.closed = reader.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = data[0] % 16;
  const std::string_view model = text.substr(2, cut);
  const std::string_view body = text.substr(std::min(size, 2 + cut));

  const Walk whole = walk(body, 0);
  const Relayed relayed = relay(body, model, 0);
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{data[1]} + 2}) {
    require(walk(body, seed) == whole);
    require(relay(body, model, seed) == relayed);
  }
  if (whole.members.empty()) require(relayed.bytes == body && !relayed.usage.told());

  const openai::ReplyView view = openai::read_reply(body);
  if (!view.well_formed) return 0;
  const Expected expected = expect(body, model);
  require(expected.walk == whole);
  require(expected.bytes == relayed.bytes);
  if (!expected.bounded) return 0;
  require(view.usage == relayed.usage);
  std::string held;
  openai::restamp(view, model).append_to(held);
  if (expected.models <= 1) require(held == relayed.bytes);
  return 0;
}
