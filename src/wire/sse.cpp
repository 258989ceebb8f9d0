#include "wire/sse.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/result.h"

namespace penstock::wire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kKeptBytesMax = std::size_t{64} << 10;

// Forgets the text; a large buffer is given back, since most streams never need it again.
void empty_out(std::string& buffer) {
  if (buffer.capacity() > kKeptBytesMax) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

// Where `byte` stands at or after `from`, or the size.
std::size_t find_byte(std::string_view bytes, char byte, std::size_t from) noexcept {
  if (from >= bytes.size()) return bytes.size();
  const void* found = std::memchr(bytes.data() + from, byte, bytes.size() - from);
  if (found == nullptr) return bytes.size();
  return static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
}

}  // namespace

SseParser::LineEnds::LineEnds(std::string_view bytes) noexcept
    : bytes_(bytes), lf_(find_byte(bytes, '\n', 0)), cr_(find_byte(bytes, '\r', 0)) {}

std::size_t SseParser::LineEnds::find(std::size_t from) noexcept {
  if (lf_ < from) lf_ = find_byte(bytes_, '\n', from);
  if (cr_ < from) cr_ = find_byte(bytes_, '\r', from);
  return std::min(lf_, cr_);
}

void SseParser::feed(std::string_view bytes) {
  PENSTOCK_ASSERT(begin_ == input_.size() || dead_);
  input_ = bytes;
  begin_ = scan_ = 0;
  line_ends_ = LineEnds(bytes);
}

Result<std::optional<SseEvent>> SseParser::next() {
  if (dead_) return fail(ErrorCode::kUpstreamBadResponse, "the event stream was broken off");
  release_taken();
  const std::optional<std::size_t> end = find_event_end();
  const std::size_t size = carry_.size() + (scan_ - begin_);
  if (size > event_bytes_max_) {
    dead_ = true;
    return fail(ErrorCode::kUpstreamBadResponse, "an event of the provider's stream is too large");
  }
  if (end) return take(*end);
  carry_.append(input_.substr(begin_));
  begin_ = input_.size();
  return std::nullopt;
}

std::optional<SseEvent> SseParser::finish() {
  PENSTOCK_ASSERT(begin_ == input_.size() || dead_);
  release_taken();
  if (dead_ || !blank_after_cr_) return std::nullopt;
  after_cr_ = blank_after_cr_ = false;
  return take(begin_);
}

std::string_view SseParser::rest() const noexcept {
  PENSTOCK_ASSERT(begin_ == input_.size() || dead_);
  return carry_taken_ ? std::string_view() : std::string_view(carry_);
}

void SseParser::release_taken() {
  if (carry_taken_) {
    empty_out(carry_);
    carry_taken_ = false;
  }
  if (!joined_.empty()) empty_out(joined_);
}

// Leaves scan_ behind the event, or at the end of the input.
std::optional<std::size_t> SseParser::find_event_end() {
  if (after_cr_) {
    if (scan_ == input_.size()) return std::nullopt;
    const bool blank = blank_after_cr_;
    after_cr_ = blank_after_cr_ = false;
    if (input_[scan_] == '\n') ++scan_;
    if (blank) return scan_;
  }
  while (scan_ < input_.size()) {
    const std::size_t at = line_ends_.find(scan_);
    const bool blank = line_empty_ && at == scan_;
    line_empty_ = at < input_.size();
    scan_ = std::min(at + 1, input_.size());
    if (at == input_.size()) break;
    if (input_[at] == '\r') {
      if (scan_ == input_.size()) {
        after_cr_ = true;
        blank_after_cr_ = blank;
        break;
      }
      if (input_[scan_] == '\n') ++scan_;
    }
    if (blank) return scan_;
  }
  return std::nullopt;
}

SseEvent SseParser::take(std::size_t end) {
  std::string_view raw = input_.substr(begin_, end - begin_);
  begin_ = end;
  if (!carry_.empty()) {
    carry_.append(raw);
    raw = carry_;
    carry_taken_ = true;
  }
  return interpret(raw);
}

SseEvent SseParser::interpret(std::string_view raw) {
  SseEvent event;
  event.raw = raw;
  std::string_view lines = raw;
  if (stream_start_ && lines.starts_with(kByteOrderMark)) {
    lines.remove_prefix(kByteOrderMark.size());
  }
  stream_start_ = false;
  bool comment = false;
  bool field = false;
  LineEnds ends(lines);
  std::size_t at = 0;
  while (at < lines.size()) {
    const std::size_t end = ends.find(at);
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;  // an LF after a CR looks like an empty line, which says nothing
    if (line.empty()) continue;
    if (line.front() == ':') {
      comment = true;
      continue;
    }
    field = true;
    const std::size_t colon = find_byte(line, ':', 0);
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
      add_data(event, value);
    } else if (name == "event") {
      event.event = value;
    }
  }
  event.comment_only = comment && !field;
  return event;
}

void SseParser::add_data(SseEvent& event, std::string_view value) {
  if (!event.has_data) {
    event.has_data = true;
    event.data = value;
    return;
  }
  if (joined_.empty()) joined_.append(event.data);
  joined_.append(1, '\n').append(value);
  event.data = joined_;
}

}  // namespace penstock::wire
