#include "gateway/stream_redaction.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "dialect/openai/chunk.h"
#include "dialect/openai/error.h"
#include "gateway/redaction.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/event_redactor.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"
#include "wire/sse.h"

namespace penstock::gateway {

namespace openai = dialect::openai;

namespace {

const wire::SseEvent kDone{
    .raw = openai::kDoneEvent, .data = "[DONE]", .event = {}, .has_data = true};
// Stands for an event that is none: it is counted, and nothing of it is sent.
const wire::SseEvent kMalformed{.raw = {}, .data = "?", .event = {}, .has_data = true};

constexpr std::string_view kField = "data: ";
constexpr std::string_view kBlankLine = "\n\n";

}  // namespace

StreamRedaction::StreamRedaction(RequestScope& scope, const WorkloadRedaction& redaction)
    : scope_(scope), redaction_(redaction), redactor_(redaction.redactor, tally_) {}

StreamRedaction::~StreamRedaction() {
  count_redactions(scope_, redaction_, policy::Direction::kResponse, tally_);
}

Result<StreamRedaction::Events> StreamRedaction::on_event(const wire::SseEvent& event) {
  texts_.clear();
  content_ = false;
  if (!event.has_data || event.data.empty()) return Events{};
  const openai::ChunkView chunk = openai::read_chunk(event.data);
  content_ = chunk.has_content;
  policy::EventEnd end = policy::EventEnd::kMasked;
  switch (chunk.kind) {
    case openai::ChunkKind::kDone: redactor_.finish(texts_); return ready(&kDone);
    case openai::ChunkKind::kMalformed: return ready(&kMalformed);
    case openai::ChunkKind::kError:
      end = redactor_.on_event(policy::EventKind::kError, event.data, texts_);
      break;
    case openai::ChunkKind::kChunk:
      end = redactor_.on_event(policy::EventKind::kChunk, event.data, texts_);
      break;
  }
  if (end == policy::EventEnd::kUnknown)
    return fail(not_redacted(scope_, policy::Direction::kResponse,
                             "The provider's stream has a shape that cannot be looked through."));
  return ready(nullptr);
}

Result<StreamRedaction::Events> StreamRedaction::finish() {
  texts_.clear();
  content_ = false;
  redactor_.finish(texts_);
  return ready(nullptr);
}

// The events of texts_, then `last` where there is one.
Result<StreamRedaction::Events> StreamRedaction::ready(const wire::SseEvent* last) {
  const policy::Redactor& redactor = redaction_.redactor;
  const bool blocks = redactor.action() == policy::RedactAction::kBlock;
  if (blocks && redactor_.found()) return fail(blocked_reply(redactor.name(*redactor_.found())));
  events_.clear();
  for (std::string& text : texts_) {
    text.insert(0, kField).append(kBlankLine);
    const std::string_view raw = text;
    const std::size_t size = raw.size() - kField.size() - kBlankLine.size();
    events_.push_back(
        {.raw = raw, .data = raw.substr(kField.size(), size), .event = {}, .has_data = true});
  }
  if (last != nullptr) events_.push_back(*last);
  return Events(events_);
}

}  // namespace penstock::gateway
