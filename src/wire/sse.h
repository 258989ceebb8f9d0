#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::wire {

// One block of an event stream, up to and with its blank line.
struct SseEvent {
  std::string_view raw;       // the exact bytes, line ends and blank line included
  std::string_view data;      // the data lines, joined by LF
  std::string_view event;     // the value of the last event line, or empty
  bool has_data = false;      // there was a data line, maybe an empty one
  bool comment_only = false;  // comment lines and nothing else
};

// Cuts an event stream into events. Lines end in LF, CRLF or CR, mixed at will. The `raw` of all
// events, then rest(), are the bytes fed, exactly. A blank line that follows no other line is an
// event too, with nothing in it. A byte order mark at the start stays in `raw` and is otherwise
// not seen.
//
// Events are the same for every split of the stream, `raw` included. Therefore an event whose blank
// line is a CR at the end of the bytes fed waits for the next byte, which may be the LF that
// belongs to it, or for finish().
//
// source: WHATWG HTML, 9.2.5 parsing and 9.2.6 interpreting an event stream.
class SseParser {
 public:
  // event_bytes_max: of one event's raw bytes.
  explicit SseParser(std::size_t event_bytes_max) noexcept : event_bytes_max_(event_bytes_max) {}

  // Gives bytes, any split. Must stay alive until next() has returned nullopt or an error, which
  // must come before the next feed().
  void feed(std::string_view bytes);

  // Returns the next complete event, or nullopt when more bytes are needed.
  //
  // result: views the bytes fed or memory of this parser; valid until the next call of any kind.
  // errors: kUpstreamBadResponse when an event is larger than event_bytes_max; the parser is dead.
  // cost:   O(bytes). Copies only an event that is cut between feeds, or joins several data lines;
  //         no allocation once warm, unless events are larger than 64 KiB.
  [[nodiscard]] Result<std::optional<SseEvent>> next();

  // At the end of the stream, after next() has returned nullopt: the event that only waited for the
  // LF after its last CR, if any. What else is unfinished is not an event; it stays in rest().
  [[nodiscard]] std::optional<SseEvent> finish();

  // The bytes of the unfinished event. Only after next() or finish() has returned nullopt.
  [[nodiscard]] std::string_view rest() const noexcept;

 private:
  // Finds CR or LF. Looks at each byte once for the one and once for the other, however they are
  // mixed, as long as `from` never falls.
  class LineEnds {
   public:
    LineEnds() = default;
    explicit LineEnds(std::string_view bytes) noexcept;
    // The first line end at or after `from`, or the size.
    std::size_t find(std::size_t from) noexcept;

   private:
    std::string_view bytes_;
    std::size_t lf_ = 0;
    std::size_t cr_ = 0;
  };

  std::optional<std::size_t> find_event_end();
  SseEvent take(std::size_t end);
  SseEvent interpret(std::string_view raw);
  void add_data(SseEvent& event, std::string_view value);
  void release_taken();

  std::size_t event_bytes_max_;
  std::string_view input_;       // the bytes of the last feed
  LineEnds line_ends_;           // of input_
  std::size_t begin_ = 0;        // in input_: all before was given out, or is in carry_
  std::size_t scan_ = 0;         // in input_: all before was searched for line ends
  std::string carry_;            // the begun event's bytes from earlier feeds
  std::string joined_;           // several data lines, joined
  bool carry_taken_ = false;     // carry_ was given out whole by the last call
  bool line_empty_ = true;       // no byte since the last line end
  bool after_cr_ = false;        // input ended in a CR that an LF may follow
  bool blank_after_cr_ = false;  // and that CR ended a blank line
  bool stream_start_ = true;     // no event was given out yet
  bool dead_ = false;
};

}  // namespace penstock::wire
