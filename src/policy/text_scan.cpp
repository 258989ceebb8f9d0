#include "policy/text_scan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/redactor.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr std::uint8_t kDashes = 5;

// What stands between the lines of a PEM block: base64, the old headers, line ends as they are or
// written as escapes.
constexpr bool is_pem_char(char byte) noexcept {
  return is_alnum(static_cast<unsigned char>(byte)) ||
         std::string_view("+/=\\ \r\n\t-:,.()").find(byte) != std::string_view::npos;
}

}  // namespace

// Where the identifier under way ends, or the size when it goes on.
std::size_t TextScan::tail_end(Cursor& cursor, std::string_view text) noexcept {
  std::size_t at = cursor.from;
  for (; at < text.size(); ++at) {
    const char byte = text[at];
    if (cursor.tail != Tail::kPem) {
      if (!is_key_char(static_cast<unsigned char>(byte), cursor.tail)) break;
      continue;
    }
    if (!is_pem_char(byte)) break;
    if (byte == '-') {
      if (cursor.dashes < kDashes) ++cursor.dashes;
      if (cursor.dashes == kDashes && cursor.end_line) return at + 1;
      continue;
    }
    if (cursor.dashes == kDashes && byte == 'E') cursor.end_line = true;
    cursor.dashes = 0;
  }
  return at;
}

void TextScan::advance(std::size_t pattern, const Window& window, std::vector<Span>& spans) {
  Cursor& cursor = cursors_[pattern];
  const std::size_t size = window.bytes.size();
  bool goes_on = true;
  while (true) {
    if (cursor.tail != Tail::kNone) {
      const std::size_t end = tail_end(cursor, window.bytes);
      if (end != cursor.from) spans.push_back({cursor.from, end, pattern, goes_on});
      const bool closed = end < size || (cursor.end_line && cursor.dashes == kDashes);
      cursor.from = end;
      if (closed) cursor = Cursor{.from = end};
      if (!closed) return;
    }
    const Found found = redactor_->find(pattern, window, cursor.from);
    if (found.what != Found::What::kMatch) {
      cursor.from = found.what == Found::What::kMaybe ? found.begin : size;
      return;
    }
    spans.push_back({found.begin, found.end, pattern, false});
    cursor = Cursor{.from = found.end, .tail = found.tail};
  }
}

std::size_t TextScan::scan(const Window& window, std::vector<Span>& spans) {
  std::size_t decided = window.bytes.size();
  for (std::size_t pattern = 0; pattern < redactor_->size(); ++pattern) {
    advance(pattern, window, spans);
    decided = std::min(decided, cursors_[pattern].from);
  }
  return decided;
}

void TextScan::shift(std::size_t bytes) noexcept {
  for (Cursor& cursor : cursors_) cursor.from -= std::min(cursor.from, bytes);
}

std::size_t first_found(const Redactor& redactor, std::string_view text) {
  const Window window{text, true};
  for (std::size_t pattern = 0; pattern < redactor.size(); ++pattern)
    if (redactor.find(pattern, window, 0).what == Found::What::kMatch) return pattern;
  return redactor.size();
}

}  // namespace penstock::policy
