#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/inner_text.h"
#include "policy/redactor.h"
#include "policy/text_scan.h"

namespace penstock::policy {

// How a text is written: as itself, or as the inside of JSON strings with their escapes.
enum class Writing : std::uint8_t { kPlain, kJson };

// How many identifiers of each pattern were found.
using Tally = std::array<std::uint32_t, Redactor::kPatternsMax>;

// Masks one text that comes in pieces. What is masked, and where, is the same for every split of
// the text: at any byte, or between any two characters and escapes where it is written as JSON.
//
// Held back is only what could still become an identifier or a part of one, and the rest of a
// character: never more than the longest pattern. Bytes that are not masked come out as they were
// written. No allocation once warm.
class StreamRedactor {
 public:
  // redactor, tally: must outlive this; what is found is added to the tally.
  StreamRedactor(const Redactor& redactor, Writing writing, Tally& tally)
      : redactor_(&redactor), tally_(&tally), scan_(redactor), writing_(writing) {}

  // Appends to `out` what is decided by now, in the writing of the text.
  void feed(std::string_view piece, std::string& out);
  // The same at the end of the text, once: nothing is held back any more.
  void finish(std::string& out);

  // Bytes held back, as they were written.
  [[nodiscard]] std::size_t held() const noexcept { return source_.size(); }
  // The pattern of the first identifier so far, masked or about to be.
  [[nodiscard]] std::optional<std::size_t> found() const noexcept { return found_; }

 private:
  void read(std::string_view piece);
  void release(std::size_t decided, std::string& out);
  void drop(std::size_t decided);

  const Redactor* redactor_;
  Tally* tally_;
  TextScan scan_;
  Writing writing_;
  InnerText inner_;
  MeasuredText text_;        // context and what is not yet released
  std::string source_;       // that, without the context, as it was written
  std::vector<Span> spans_;  // found and not yet released
  std::size_t at_ = 0;       // in text_: all before was released
  std::optional<std::size_t> found_;
};

// Masks a whole text, into `out`. The first pattern that was found; nullopt when there was nothing
// to mask: `out` is empty then.
//
// cost: one pass for each pattern, and far below that where nothing resembles an identifier.
[[nodiscard]] std::optional<std::size_t> mask_text(const Redactor& redactor, Writing writing,
                                                   std::string_view text, Tally& tally,
                                                   std::string& out);

}  // namespace penstock::policy
