#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lab/answer.h"
#include "lab/fault.h"

namespace penstock::lab {

// The events of a streamed answer, one by one, with the faults that change bytes. Pure; when the
// events are sent, and how often, is the caller's.
class StreamScript {
 public:
  // What is to be waited for before an event.
  enum class Pace : std::uint8_t {
    kAtOnce,
    kFirstToken,
    kNextToken,
  };
  struct Event {
    std::string_view bytes;  // framed, blank line included; valid until the next call
    Pace pace = Pace::kAtOnce;
  };

  // Both outlive the script.
  StreamScript(const Answer& answer, const Fault& fault);

  // The next event, or nullopt when the stream is over.
  [[nodiscard]] std::optional<Event> next();
  // Tokens in what next() gave so far, all choices together.
  [[nodiscard]] std::uint64_t tokens() const noexcept { return told_; }

 private:
  enum class Stage : std::uint8_t { kRoles, kTokens, kFinishes, kUsage, kDone, kOver };

  [[nodiscard]] bool skip_to_event();
  void append_event();
  void append_chunk(std::string_view finish_reason);
  void append_delta();
  void append_usage_member();
  void frame(std::string_view data);
  [[nodiscard]] bool tells_usage_apart() const noexcept;

  const Answer& answer_;
  const Fault& fault_;
  Stage stage_ = Stage::kRoles;
  std::uint32_t choice_ = 0;
  std::uint64_t token_ = 0;
  std::uint64_t told_ = 0;
  std::uint64_t events_ = 0;
  bool broke_ = false;  // error_event_at: only [DONE] may follow
  std::string json_;
  std::string out_;
};

}  // namespace penstock::lab
