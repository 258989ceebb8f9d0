#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/redactor.h"
#include "policy/window.h"

namespace penstock::policy {

// An identifier, or a further part of one that an earlier scan began.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t pattern = 0;
  bool goes_on = false;  // belongs to the one that ended where it begins
};

// Looks for all patterns of a redactor in one text, as much of it as is known. Each pattern is
// looked for by itself, as if it were the only one, so that what two of them claim is found by
// both; whoever masks takes their union.
class TextScan {
 public:
  explicit TextScan(const Redactor& redactor) noexcept : redactor_(&redactor) {}

  // Appends what is found now. `window` begins where the last one began, less what shift() took,
  // and goes further.
  //
  // result: nothing before that place will be found any more; all of it when the window is final.
  std::size_t scan(const Window& window, std::vector<Span>& spans);

  // The window's first bytes are gone, at most as many as the last scan() returned.
  void shift(std::size_t bytes) noexcept;

 private:
  struct Cursor {
    std::size_t from = 0;
    Tail tail = Tail::kNone;  // an identifier is being read to its end
    bool end_line = false;    // of a PEM block: its END line has begun
    std::uint8_t dashes = 0;  // seen in a row just before
  };

  void advance(std::size_t pattern, const Window& window, std::vector<Span>& spans);
  static std::size_t tail_end(Cursor& cursor, std::string_view text) noexcept;

  const Redactor* redactor_;
  std::array<Cursor, Redactor::kPatternsMax> cursors_{};
};

// Whether anything of a redactor's is in the whole text: the first pattern that is, or size().
[[nodiscard]] std::size_t first_found(const Redactor& redactor, std::string_view text);

}  // namespace penstock::policy
