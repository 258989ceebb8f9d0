// rooms: json llm dialect
// Streams of arbitrary events: nothing crashes, nothing is invented, and what is forwarded without
// a restamp is byte for byte what came.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/error.h"
#include "dialect/openai/stream.h"
#include "json/reader.h"

namespace {

namespace openai = penstock::dialect::openai;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Event {
  std::string raw;
  std::string data;
  bool has_data = false;
};

// The input's lines are the data lines; an empty one ends an event. Written with LF only, so that
// the joined data is what the event-stream rules say.
std::vector<Event> events_of(std::string_view text) {
  std::vector<Event> events(1);
  while (!text.empty() && events.size() < 64) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Event& event = events.back();
    if (line.empty()) {
      if (!event.raw.empty()) {
        event.raw += '\n';
        events.emplace_back();
      }
      continue;
    }
    if (line.front() == ':') {
      event.raw += std::string(line) + "\n";
      continue;
    }
    event.raw += "data: " + std::string(line) + "\n";
    if (event.has_data) event.data += '\n';
    event.data += line;
    event.has_data = true;
  }
  return events;
}

void check_error(std::string_view data) {
  const openai::ProviderError said = openai::read_error(data);
  require(said.message.size() <= openai::ProviderError::kMessageMax);
  require(said.code.size() <= openai::ProviderError::kWordMax);
  require(said.type.size() <= openai::ProviderError::kWordMax);
  const penstock::Error error =
      openai::stream_error(openai::StreamFailure::kErrorObject, said, openai::Sent::kContent);
  const std::string event = openai::error_event(error, penstock::ErrorSource::kUpstream, data);
  require(event.starts_with("data: ") && event.ends_with("\n\n"));
  require(event.find_first_of("\r\n") == event.size() - 2);
  require(penstock::json::valid(std::string_view(event).substr(6, event.size() - 8)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<Event> events = events_of(text);
  openai::StreamReader plain({});
  openai::StreamReader stamping({.public_model = "ch\"at", .hide_usage = openai::HideUsage::kHide});
  std::string expected;
  std::string got;
  for (const Event& event : events) {
    const openai::StreamEvent in{.raw = event.raw, .data = event.data, .has_data = event.has_data};
    const bool was_over = plain.over();
    const openai::Verdict verdict = plain.on_event(in);
    require(!was_over || verdict.step == openai::StreamStep::kDrop);
    require(verdict.bytes.unchanged());
    require(verdict.step != openai::StreamStep::kFail || verdict.failure == plain.failure());
    const bool sent = verdict.step == openai::StreamStep::kForward ||
                      verdict.step == openai::StreamStep::kComplete;
    if (sent) expected += event.raw;
    verdict.bytes.append_to(got);

    const openai::Verdict stamped = stamping.on_event(in);
    require(plain.over() == stamping.over());
    std::string out;
    stamped.bytes.append_to(out);
    if (stamped.step == openai::StreamStep::kForward && !stamped.bytes.unchanged()) {
      const openai::ChunkView chunk = openai::read_chunk(event.data);
      require(chunk.has_model && stamped.bytes.edits().size() == 1);
      require(out.find("ch\\\"at") != std::string::npos);
      require(out.size() == event.raw.size() - chunk.model_raw.size() + 6);
    } else if (stamped.step == openai::StreamStep::kForward && event.has_data) {
      const openai::ChunkView chunk = openai::read_chunk(event.data);
      require(!chunk.has_model || chunk.model_raw == "ch\\\"at");  // always found
    }
  }
  require(expected == got);
  require(plain.malformed() <= openai::StreamReader::kMalformedMax + 1);
  const bool finished = plain.finished();
  const openai::StreamEnd end = plain.on_end();
  require(end != openai::StreamEnd::kComplete || finished);
  require(plain.on_end() == openai::StreamEnd::kOver);
  check_error(text);
  return 0;
}
