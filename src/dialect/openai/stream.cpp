#include "dialect/openai/stream.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/error_code.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/error.h"
#include "dialect/openai/members.h"
#include "json/splice.h"
#include "json/string.h"
#include "llm/usage.h"

namespace penstock::dialect::openai {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Splits the next line off `rest`, which ends in LF, CR or CRLF or at the end of the text.
std::string_view take_line(std::string_view& rest) noexcept {
  const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
  const std::string_view line = rest.substr(0, end);
  const bool crlf = rest.substr(end).starts_with("\r\n");
  rest.remove_prefix(std::min(end + (crlf ? 2 : 1), rest.size()));
  return line;
}

// What a line adds to an event's data; nothing when it is no data line.
std::optional<std::string_view> data_of(std::string_view line) noexcept {
  if (!line.starts_with("data")) return {};
  line.remove_prefix(4);
  if (line.empty()) return line;
  if (line.front() != ':') return {};
  line.remove_prefix(1);
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line;
}

// Where the bytes `part` of `data` stand in `raw`. With several data lines `data` is a copy that
// joins them, so the lines are counted through; `part` is a JSON string and lies within one.
std::optional<std::size_t> find_in_raw(std::string_view raw, std::string_view data,
                                       std::string_view part) noexcept {
  const std::less_equal<const char*> before;
  if (before(raw.data(), part.data()) && before(part.data() + part.size(), raw.data() + raw.size()))
    return offset_in(raw, part);
  const std::size_t wanted = offset_in(data, part);
  std::string_view rest = raw;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::size_t line_at = 0;
  while (!rest.empty() && line_at <= wanted) {
    const auto line = data_of(take_line(rest));
    if (!line) continue;
    if (wanted + part.size() <= line_at + line->size()) {
      const std::string_view here = line->substr(wanted - line_at, part.size());
      if (here != part) return {};
      return offset_in(raw, here);
    }
    line_at += line->size() + 1;  // the LF that joins them
  }
  return {};
}

std::string_view sentence(StreamFailure failure) noexcept {
  switch (failure) {
    case StreamFailure::kNone: return {};
    case StreamFailure::kInterrupted: return "The provider's stream broke off before its end.";
    case StreamFailure::kErrorObject: return "The provider reported an error in its stream";
    case StreamFailure::kFailingFinish:
      return "The provider gave up before the answer was complete.";
    case StreamFailure::kMalformed: return "The provider's stream held too many malformed events.";
  }
  return {};
}

}  // namespace

StreamReader::StreamReader(const StreamOptions& options)
    : hide_usage_(options.hide_usage), choices_(options.choices) {
  json::append_escaped(model_, options.public_model);
}

Verdict StreamReader::on_event(const StreamEvent& event) {
  if (over_) return {};
  // By the rules of event streams, one whose data is empty is no event either.
  if (!event.has_data || event.data.empty())
    return {.step = StreamStep::kForward, .bytes = json::Splice(event.raw)};
  const ChunkView chunk = read_chunk(event.data);
  switch (chunk.kind) {
    case ChunkKind::kDone:
      over_ = true;
      done_seen_ = true;
      return {.step = StreamStep::kComplete, .bytes = json::Splice(event.raw)};
    case ChunkKind::kMalformed: return on_malformed();
    case ChunkKind::kError:
      llm::update(usage_, chunk.usage);
      provider_error_ = read_error(event.data);
      return fail(StreamFailure::kErrorObject);
    case ChunkKind::kChunk: return on_chunk(event, chunk);
  }
  return {};
}

Verdict StreamReader::on_chunk(const StreamEvent& event, const ChunkView& chunk) {
  llm::update(usage_, chunk.usage);
  if (chunk.finish_failed) return fail(StreamFailure::kFailingFinish);
  choices_seen_ |= chunk.seen;
  choices_finished_ |= chunk.finished;
  if (chunk.usage_only && hide_usage_ == HideUsage::kHide) return {};
  content_seen_ |= chunk.has_content;
  Verdict verdict{
      .step = StreamStep::kForward, .content = chunk.has_content, .bytes = json::Splice(event.raw)};
  restamp(verdict, event, chunk);
  return verdict;
}

Verdict StreamReader::on_malformed() {
  if (malformed_++ == kMalformedMax) {
    Verdict verdict = fail(StreamFailure::kMalformed);
    verdict.malformed = true;
    return verdict;
  }
  return {.malformed = true};
}

Verdict StreamReader::fail(StreamFailure failure) {
  over_ = true;
  failure_ = failure;
  return {.step = StreamStep::kFail, .failure = failure};
}

void StreamReader::restamp(Verdict& verdict, const StreamEvent& event,
                           const ChunkView& chunk) const {
  if (model_.empty() || !chunk.has_model || chunk.model_raw == model_) return;
  const auto at = find_in_raw(event.raw, event.data, chunk.model_raw);
  if (at) verdict.bytes.add({.at = *at, .cut = chunk.model_raw.size(), .put = model_});
}

StreamEnd StreamReader::on_end() noexcept {
  if (over_) return StreamEnd::kOver;
  over_ = true;
  if (finished()) return StreamEnd::kComplete;
  failure_ = StreamFailure::kInterrupted;
  return StreamEnd::kInterrupted;
}

Error stream_error(StreamFailure failure, const ProviderError& said, Sent sent) {
  ErrorCode code = ErrorCode::kUpstreamError;
  if (failure == StreamFailure::kErrorObject) code = classify(said);
  if (failure == StreamFailure::kMalformed) code = ErrorCode::kUpstreamBadResponse;
  if (sent == Sent::kContent) code = ErrorCode::kStreamInterrupted;
  std::string message(sentence(failure));
  if (failure == StreamFailure::kErrorObject) {
    const std::string_view type = said.type.empty() ? said.code : said.type;
    if (!type.empty()) message += fmt::format(" ({})", type);
    message += said.message.empty() ? "." : ": " + said.message;
  }
  return Error(code, std::move(message));
}

}  // namespace penstock::dialect::openai
