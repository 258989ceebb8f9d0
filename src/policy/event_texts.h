#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/redactor.h"
#include "policy/stream_redactor.h"

namespace penstock::policy {

// One text that goes on from event to event, and the event that would say nothing else.
struct EventText {
  std::string path;
  std::string opening;  // from behind the envelope to the text
  std::string closing;
  StreamRedactor redactor;
  std::string ready;  // decided, and not sent with the event it came in
};

// The steps of a path: a member's name or an element's index behind its mark. Neither mark can
// stand in a name as it is written.
inline constexpr char kMemberMark = '\x1F';
inline constexpr char kElementMark = '\x1E';

// The texts of one reply's stream, by where they stand in its events.
class EventTexts {
 public:
  static constexpr std::size_t kTextsMax = 256;
  static constexpr std::size_t kPathMax = 512;  // bytes

  EventTexts(const Redactor& redactor, Tally& tally) noexcept
      : redactor_(redactor), tally_(tally) {}

  // The text at a path; null when there is none. Valid until the next flush().
  [[nodiscard]] EventText* find(std::string_view path) noexcept;
  // Null when there are kTextsMax of them, or the path is too long to be kept.
  [[nodiscard]] EventText* add(std::string_view path, std::string opening, std::string closing);

  // Whether some text waits for what decides it.
  [[nodiscard]] bool holding() const noexcept;

  // Ends the texts at and below a path: the rest of each becomes an event of its own. Empty: all.
  // What has ended stays so: see ended(). False when more places have ended than are remembered.
  //
  // envelope: what such events say beside the text: members, each with a comma behind it.
  [[nodiscard]] bool flush(std::string_view path, std::string_view envelope,
                           std::vector<std::string>& out);

  // Whether a path lies at or below one whose texts have ended. More of them would begin without
  // what stood before, and so hide the second half of an identifier.
  [[nodiscard]] bool ended(std::string_view path) const noexcept;

  // The pattern of the first identifier found in one of those that have ended.
  [[nodiscard]] std::optional<std::size_t> found() const noexcept { return found_; }

 private:
  const Redactor& redactor_;
  Tally& tally_;
  std::deque<EventText> texts_;
  std::vector<std::string> ended_;  // at most kTextsMax paths
  std::optional<std::size_t> found_;
};

}  // namespace penstock::policy
