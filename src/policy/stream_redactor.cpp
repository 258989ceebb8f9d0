#include "policy/stream_redactor.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/string.h"
#include "json/utf8.h"
#include "policy/finders.h"
#include "policy/inner_text.h"
#include "policy/redactor.h"
#include "policy/text_scan.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

// The outer of two that begin together comes first, and before both what belongs to one already
// masked.
bool comes_before(const Span& a, const Span& b) noexcept {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.goes_on != b.goes_on) return a.goes_on;
  if (a.end != b.end) return a.end > b.end;
  return a.pattern < b.pattern;
}

// Without a measure of every character, which only masking needs.
bool surely_clean(const Redactor& redactor, Writing writing, std::string_view text) {
  const auto clean = [&redactor](std::string_view plain) {
    return first_found(redactor, plain) == redactor.size();
  };
  if (text.find('\\') == std::string_view::npos) return clean(text);
  const std::string meant = writing == Writing::kJson ? json::unescape(text) : std::string(text);
  return InnerText::is_plain(meant) && clean(meant);
}

}  // namespace

void StreamRedactor::feed(std::string_view piece, std::string& out) {
  read(piece);
  const std::string_view text = text_.bytes;
  std::size_t decided = scan_.scan({text, false}, spans_);
  decided = std::min(decided, whole_characters(text).size());
  while (decided > at_ && decided < text.size() && json::continues_character(text[decided]))
    --decided;
  release(decided, out);
  drop(std::min(decided, at_));
}

void StreamRedactor::finish(std::string& out) {
  inner_.finish(text_);
  release(scan_.scan({text_.bytes, true}, spans_), out);
}

void StreamRedactor::read(std::string_view piece) {
  source_ += piece;
  while (!piece.empty()) {
    if (inner_.plain()) {  // most of most texts: what it means is what is written
      const std::size_t end = std::min(piece.find('\\'), piece.size());
      text_.bytes += piece.substr(0, end);
      text_.widths.append(end, '\1');
      piece.remove_prefix(end);
      if (piece.empty()) return;
    }
    json::Unit unit{.used = 1, .size = 1, .bytes = {piece.front()}};
    if (writing_ == Writing::kJson) unit = json::first_unit(piece);
    inner_.put(unit.view(), unit.used, text_);
    piece.remove_prefix(unit.used);
  }
}

// Passes on the text before `decided`, masks in the place of identifiers that begin there.
void StreamRedactor::release(std::size_t decided, std::string& out) {
  std::ranges::sort(spans_, comes_before);
  if (!found_ && !spans_.empty()) found_ = spans_.front().pattern;
  std::size_t written = 0;  // of source_
  const auto pass = [&](std::size_t end) {
    std::size_t bytes = 0;
    for (; at_ < end; ++at_) bytes += static_cast<unsigned char>(text_.widths[at_]);
    return bytes;
  };
  std::size_t used = 0;
  for (; used < spans_.size() && spans_[used].begin < decided; ++used) {
    const Span& span = spans_[used];
    if (span.begin >= at_ && !(span.goes_on && span.begin == at_)) {
      const std::size_t clean = pass(span.begin);
      out.append(source_, written, clean);
      written += clean;
      out += redactor_->mask(span.pattern);
      ++(*tally_)[span.pattern];
    }
    written += pass(span.end);
  }
  const std::size_t clean = pass(decided);
  out.append(source_, written, clean);
  source_.erase(0, written + clean);
  spans_.erase(spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(used));
}

// Forgets what is behind us, but for a little that the finders look back at.
void StreamRedactor::drop(std::size_t decided) {
  const std::size_t bytes = decided - std::min(decided, kContextBytes);
  if (bytes == 0) return;
  text_.bytes.erase(0, bytes);
  text_.widths.erase(0, bytes);
  scan_.shift(bytes);
  at_ -= bytes;
  for (Span& span : spans_) {
    span.begin -= bytes;
    span.end -= bytes;
  }
}

std::optional<std::size_t> mask_text(const Redactor& redactor, Writing writing,
                                     std::string_view text, Tally& tally, std::string& out) {
  out.clear();
  if (surely_clean(redactor, writing, text)) return std::nullopt;
  StreamRedactor whole(redactor, writing, tally);
  whole.feed(text, out);
  whole.finish(out);
  if (!whole.found()) out.clear();
  return whole.found();
}

}  // namespace penstock::policy
