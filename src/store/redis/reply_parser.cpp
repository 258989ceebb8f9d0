#include "store/redis/reply_parser.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "store/redis/value.h"

namespace penstock::store::redis {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::optional<std::int64_t> whole_number(std::string_view text) noexcept {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

Value integer(std::int64_t number) {
  return {.kind = ValueKind::kInteger, .integer = number, .text = {}, .list = {}};
}

Value text_of(ValueKind kind, std::string_view text) {
  return {.kind = kind, .integer = 0, .text = std::string(text), .list = {}};
}

}  // namespace

ReplyParser::Step ReplyParser::next(std::string_view& bytes) {
  while (!bytes.empty()) {
    const bool fine = text_left_ ? take_text(bytes) : take_line(bytes);
    if (!fine || too_much_) return Step::kBroken;
    if (whole_there_) {
      whole_there_ = false;
      taken_ = values_ = 0;
      return Step::kReply;
    }
  }
  return Step::kMore;
}

void ReplyParser::take_off(std::string_view& bytes, std::size_t count) noexcept {
  bytes.remove_prefix(count);
  taken_ += count;
  if (taken_ > kBytesMax) too_much_ = true;
}

bool ReplyParser::take_line(std::string_view& bytes) {
  const std::size_t at = bytes.find('\n');
  const std::size_t count = at == std::string_view::npos ? bytes.size() : at + 1;
  if (part_.size() + count > kLineMax + kLineEnd.size()) return false;
  part_.append(bytes.substr(0, count));
  take_off(bytes, count);
  return at == std::string_view::npos || on_line();
}

bool ReplyParser::take_text(std::string_view& bytes) {
  const std::size_t count = std::min(*text_left_, bytes.size());
  part_.append(bytes.substr(0, count));
  take_off(bytes, count);
  *text_left_ -= count;
  return *text_left_ != 0 || end_text();
}

bool ReplyParser::on_line() {
  if (!part_.ends_with(kLineEnd) || part_.find('\r') != part_.size() - kLineEnd.size())
    return false;
  const std::string line = std::exchange(part_, {});
  if (line.size() == kLineEnd.size()) return false;
  const char type = line.front();
  const std::string_view rest = std::string_view(line).substr(1, line.size() - 1 - kLineEnd.size());
  switch (type) {
    case '$':
    case '!':
    case '=': return begin_text(rest, type);
    case '*':
    case '~': return begin_list(rest, 1, Role::kValue);
    case '%': return begin_list(rest, 2, Role::kValue);
    case '|': return begin_list(rest, 2, Role::kAttribute);
    case '>': return open_.empty() && begin_list(rest, 1, Role::kPush);
    default: return on_scalar(type, rest);
  }
}

bool ReplyParser::on_scalar(char type, std::string_view rest) {
  switch (type) {
    case '+': return complete(text_of(ValueKind::kText, rest));
    case '-': return complete(text_of(ValueKind::kError, rest));
    case ',':  // a float
    case '(':  // a whole number of any length
      return complete(text_of(ValueKind::kText, rest));
    case '_': return rest.empty() && complete(Value{});
    case '#': return (rest == "t" || rest == "f") && complete(integer(rest == "t" ? 1 : 0));
    case ':': {
      const std::optional<std::int64_t> number = whole_number(rest);
      return number && complete(integer(*number));
    }
    default: return false;
  }
}

bool ReplyParser::begin_text(std::string_view rest, char type) {
  const std::optional<std::int64_t> size = whole_number(rest);
  if (!size) return false;
  if (*size == -1 && type == '$') return complete(Value{});  // RESP2's nil
  if (*size < 0 || static_cast<std::uint64_t>(*size) > kBytesMax) return false;
  text_type_ = type;
  text_left_ = static_cast<std::size_t>(*size) + kLineEnd.size();
  return true;
}

bool ReplyParser::end_text() {
  text_left_.reset();
  if (!part_.ends_with(kLineEnd)) return false;
  part_.resize(part_.size() - kLineEnd.size());
  std::string text = std::exchange(part_, {});
  if (text_type_ == '=') {  // "txt:" or "mkd:" stands in front
    if (text.size() < 4 || text[3] != ':') return false;
    text.erase(0, 4);
  }
  Value value;
  value.kind = text_type_ == '!' ? ValueKind::kError : ValueKind::kText;
  value.text = std::move(text);
  return complete(std::move(value));
}

bool ReplyParser::begin_list(std::string_view rest, std::size_t each, Role role) {
  const std::optional<std::int64_t> count = whole_number(rest);
  if (!count) return false;
  if (*count == -1 && role == Role::kValue && each == 1) return complete(Value{});
  if (*count < 0 || static_cast<std::uint64_t>(*count) > kValuesMax) return false;
  if (open_.size() == kDepthMax) return false;
  Frame frame;
  frame.value.kind = ValueKind::kList;
  frame.left = static_cast<std::size_t>(*count) * each;
  frame.role = role;
  if (frame.left == 0) return complete(std::move(frame.value), role);
  open_.push_back(std::move(frame));
  return true;
}

// Hands a complete value to the list that it stands in, which may be complete with it.
bool ReplyParser::complete(Value value, Role role) {
  for (;;) {
    if (++values_ > kValuesMax) return false;
    if (role == Role::kAttribute) return true;  // what it belongs to comes next
    if (role == Role::kPush) {
      taken_ = values_ = 0;
      return true;
    }
    if (open_.empty()) {
      whole_ = std::move(value);
      whole_there_ = true;
      return true;
    }
    Frame& around = open_.back();
    around.value.list.push_back(std::move(value));
    if (--around.left != 0) return true;
    value = std::move(around.value);
    role = around.role;
    open_.pop_back();
  }
}

}  // namespace penstock::store::redis
