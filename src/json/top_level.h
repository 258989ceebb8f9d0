#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::json {

// Walks over one JSON object while it arrives and tells where the names and values of its own
// members are, for bodies too long to be held. Members of members are skipped.
//
//   json::TopLevel top_level;
//   for (std::string_view rest = piece; !rest.empty();) {
//     const json::TopLevel::Run run = top_level.next(rest);
//     …
//   }
//
// It is no validator. The top level must be an object's: from the first byte there that does not
// fit, everything is kBetween. Nested values are only counted through, by brackets and strings, so
// whoever uses a value has it read by Reader. Whatever Reader takes for an object is told exactly.
class TopLevel {
 public:
  enum class Part : std::uint8_t {
    kBetween,  // white space and punctuation of the top level; all that is no object
    kKey,      // a member's name, quotes included
    kValue,    // a member's value, quotes and brackets included
  };

  // Some bytes of one part. A key or value goes on in the next run unless `ends`; only the end of
  // a piece interrupts it.
  struct Run {
    Part part = Part::kBetween;
    bool ends = false;  // keys and values: complete with this
    std::string_view bytes = {};
  };

  // Takes the next run off the front of `rest`. Runs together are all bytes, in order.
  //
  // rest:    not empty; what is left of a piece, pieces being any split of the text.
  // result:  views `rest`. Empty only where the end of a number or word is seen by what follows.
  // cost:    O(bytes), eight at a time within nested values; no allocation, no limit of depth.
  [[nodiscard]] Run next(std::string_view& rest) noexcept;

  // The object has ended; what follows is kBetween.
  [[nodiscard]] bool closed() const noexcept { return state_ == State::kClosed; }

 private:
  // Where the walk stands: what may come next, or what it is within.
  enum class State : std::uint8_t {
    kStart,     // the opening brace
    kFirstKey,  // a name, or the closing brace
    kKey,       // a name
    kColon,
    kValue,
    kComma,  // or the closing brace
    kInKey,
    kInValue,   // a string or a container
    kInScalar,  // a number, true, false or null
    kClosed,
    kBroken,  // no object
  };

  [[nodiscard]] bool between() const noexcept;
  [[nodiscard]] State after(char byte) const noexcept;
  const char* skip_between(const char* at, const char* end) noexcept;
  const char* skip_enclosed(const char* at, const char* end, bool& ends) noexcept;

  State state_ = State::kStart;
  // Within a key or value:
  bool in_string_ = false;
  bool escaped_ = false;     // the byte before was a backslash that escapes
  std::uint64_t depth_ = 0;  // its open brackets
};

}  // namespace penstock::json
