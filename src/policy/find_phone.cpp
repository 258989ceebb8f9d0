#include <cstddef>
#include <string_view>

#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/marks.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

constexpr std::size_t kDigitsMin = 8;       // with the country code; the shortest in use
constexpr std::size_t kDigitsMax = 15;      // ITU-T E.164
constexpr std::size_t kNorthAmerican = 11;  // +1 and ten

constexpr bool is_bracket(int byte) noexcept { return byte == '(' || byte == ')'; }

// The bytes of what joins the parts of a number: a blank, a hyphen or a dot; 0 when it is none.
std::size_t joint_size(Look& look, std::size_t at) noexcept {
  return look.at(at) == '.' ? 1 : mark_at(look, at).size;
}

// Of what may stand between two digits: one of these, a slash or a bracket.
std::size_t mark_size(Look& look, std::size_t at) noexcept {
  const int byte = look.at(at);
  return is_bracket(byte) || byte == '/' ? 1 : joint_size(look, at);
}

// Behind the next digit when at most one mark stands before it, or two of which one is a bracket;
// else `at`.
std::size_t behind_next_digit(Look& look, std::size_t at) noexcept {
  if (is_digit(look.at(at))) return at + 1;
  const std::size_t first = mark_size(look, at);
  if (first == 0) return at;
  const std::size_t next = at + first;
  if (is_digit(look.at(next))) return next + 1;
  const std::size_t second = mark_size(look, next);
  if (second == 0 || !(is_bracket(look.at(at)) || is_bracket(look.at(next)))) return at;
  return is_digit(look.at(next + second)) ? next + second + 1 : at;
}

// `+`, country code, number. Ends where a number ends: not within a run of digits.
std::size_t international_end(Look& look, std::size_t begin) noexcept {
  std::size_t at = begin + 1;
  const int first = look.at(at);
  if (!is_digit(first) || first == '0') return begin;
  ++at;
  std::size_t good = begin;
  for (std::size_t count = 1; count < kDigitsMax;) {
    const std::size_t next = behind_next_digit(look, at);
    if (next == at) break;
    at = next;
    ++count;
    const bool enough = first == '1' ? count == kNorthAmerican : count >= kDigitsMin;
    if (enough && !is_alnum(look.at(at))) good = at;
    if (first == '1' && count == kNorthAmerican) break;
  }
  return good;
}

// Behind three digits of which the first is none of 0 and 1 (an area or an exchange), or `at`.
std::size_t behind_code(Look& look, std::size_t at) noexcept {
  const int first = look.at(at);
  if (!is_digit(first) || first < '2') return at;
  return is_digit(look.at(at + 1)) && is_digit(look.at(at + 2)) ? at + 3 : at;
}

// (415) 555-2671, 415-555-2671, 1 415 555 2671: NANPA's plan, with something between the parts.
std::size_t national_end(Look& look, std::size_t begin) noexcept {
  std::size_t at = begin;
  if (look.at(at) == '1')
    if (const std::size_t joint = joint_size(look, at + 1); joint != 0) at += 1 + joint;
  const bool bracket = look.at(at) == '(';
  if (bracket) ++at;
  std::size_t next = behind_code(look, at);
  if (next == at) return begin;
  at = next;
  if (bracket) {
    if (look.at(at) != ')') return begin;
    ++at;
  }
  const std::size_t joint = joint_size(look, at);
  if (joint == 0 && !bracket) return begin;
  at += joint;
  next = behind_code(look, at);
  if (next == at) return begin;
  const std::size_t last = joint_size(look, next);
  if (last == 0) return begin;
  at = next + last;
  for (std::size_t i = 0; i < 4; ++i)
    if (!is_digit(look.at(at + i))) return begin;
  const std::size_t end = at + 4;
  const int behind = look.at(end);
  if (is_alnum(behind) || (behind == '-' && is_digit(look.at(end + 1)))) return begin;
  return end;
}

}  // namespace

Found find_phone(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  for (std::size_t at = find_digit_or(text, '+', '(', from); at < text.size();
       at = find_digit_or(text, '+', '(', at + 1)) {
    const bool plus = text[at] == '+';
    if (text[at] != '(' && within_word(window, at)) continue;
    if (!plus && joined(window, at, ".-/")) continue;
    Look look(window);
    const std::size_t end = plus ? international_end(look, at) : national_end(look, at);
    if (look.beyond()) return Found::maybe(at);
    if (end != at) return Found::match(at, end);
  }
  return {};
}

}  // namespace penstock::policy
