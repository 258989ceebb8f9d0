#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gateway/request_scope.h"
#include "gateway/workload_redaction.h"
#include "policy/event_redactor.h"
#include "policy/stream_redactor.h"
#include "wire/sse.h"

namespace penstock::gateway {

// Stands between a provider's stream and whoever reads and sends it: for each event of the
// provider's it gives those that may go on instead. Comments, malformed events and fields other
// than data go no further. Its destructor counts what was found.
class StreamRedaction {
 public:
  using Events = std::span<const wire::SseEvent>;

  // Both must outlive this.
  StreamRedaction(RequestScope& scope, const WorkloadRedaction& redaction);
  StreamRedaction(const StreamRedaction&) = delete;
  StreamRedaction& operator=(const StreamRedaction&) = delete;
  ~StreamRedaction();

  // What goes on in the place of `event`; views this object until the next call.
  //
  // errors: kContentBlocked; kRedactionUnavailable when it has a shape that is not known. None of
  //         the stream may pass any more.
  [[nodiscard]] Result<Events> on_event(const wire::SseEvent& event);

  // The stream is complete without its terminal: what was held back.
  [[nodiscard]] Result<Events> finish();

  // Whether the last event had content of the provider's, passed on or held back.
  [[nodiscard]] bool content() const noexcept { return content_; }

 private:
  [[nodiscard]] Result<Events> ready(const wire::SseEvent* last);

  RequestScope& scope_;
  const WorkloadRedaction& redaction_;
  policy::Tally tally_{};
  policy::EventRedactor redactor_;
  std::vector<std::string> texts_;
  std::vector<wire::SseEvent> events_;
  bool content_ = false;
};

}  // namespace penstock::gateway
