#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/event_texts.h"
#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {

// What an event of a reply's stream is, as its dialect reads it.
enum class EventKind : std::uint8_t {
  kChunk,  // a part of the reply
  kError,  // the stream's error: each of its strings is whole
};

enum class EventEnd : std::uint8_t {
  kMasked,
  // No JSON object; more texts than are kept apart; a place spelled in more than one way; more of
  // a text that its choice's finish has ended. Nothing of it may pass.
  kUnknown,
};

// Masks the events of one reply's stream. An event is a JSON object; a string in it is either whole
// in itself (`id`, `role`, the name of a tool, a link: event_members.h) or the next
// piece of a text that goes on from event to event: all others, those of vendors included. One text
// is what stands at one path, an array's elements told apart by their `index` or place.
//
// What a text holds back comes with its next pieces, at the latest right before the event that
// brings the `finish_reason` of its choice: as an event that says nothing else. Events come out as
// data, on one line, without field names. Any thread, one at a time.
class EventRedactor {
 public:
  // redactor, tally: must outlive this; what is found is added to the tally.
  EventRedactor(const Redactor& redactor, Tally& tally) noexcept
      : redactor_(redactor), tally_(tally), texts_(redactor, tally) {}

  // Appends to `out` what may go out for this event.
  [[nodiscard]] EventEnd on_event(EventKind kind, std::string_view data,
                                  std::vector<std::string>& out);

  // The stream is complete: what was held back goes out. (Of one that broke off nothing may.)
  void finish(std::vector<std::string>& out);

  // The pattern of the first identifier so far.
  [[nodiscard]] std::optional<std::size_t> found() const noexcept { return found_; }

 private:
  const Redactor& redactor_;
  Tally& tally_;
  EventTexts texts_;
  std::string envelope_;  // of the last event behind which something was held back
  std::optional<std::size_t> found_;
};

}  // namespace penstock::policy
