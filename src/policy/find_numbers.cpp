#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/marks.h"
#include "policy/window.h"

// Identifiers that are digits with marks between them: cards, social security numbers, IPv4.
namespace penstock::policy {
namespace {

// The next digit that begins a number of its own: one that follows a letter or digit is none.
std::size_t next_number(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  std::size_t at = find_digit(text, from);
  while (at < text.size() && within_word(window, at)) {
    ++at;
    if (at < text.size() && !is_digit(static_cast<unsigned char>(text[at])))
      at = find_digit(text, at);
  }
  return at;
}

// Calls `end_of(look, begin)`, which returns where the identifier at `begin` ends or `begin`, for
// each number in turn.
template <class EndOf>
Found find_number(const Window& window, std::size_t from, EndOf end_of) noexcept {
  for (std::size_t at = next_number(window, from); at < window.bytes.size();
       at = next_number(window, at + 1)) {
    Look look(window);
    const std::size_t end = end_of(look, at);
    if (look.beyond()) return Found::maybe(at);
    if (end != at) return Found::match(at, end);
  }
  return {};
}

// --- Cards ---------------------------------------------------------------------------------------

constexpr std::size_t kCardMin = 13;
constexpr std::size_t kCardMax = 19;  // ISO/IEC 7812
constexpr std::size_t kGroupMin = 3;  // digits between two separators
constexpr std::size_t kGroupMax = 6;  // of the groups that cards are printed in

// ISO/IEC 7812-1, annex B.
bool passes_luhn(std::span<const std::uint8_t> digits) noexcept {
  unsigned sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    const unsigned value = twice ? digits[i] * 2U : digits[i];
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 == 0;
}

// Whether cards of that first digit have that many: 3 is American Express, Diners and JCB, 2 and 5
// Mastercard, 4 Visa, 5 and 6 Maestro, Discover and UnionPay.
bool is_card_length(std::size_t first, std::size_t count) noexcept {
  switch (first) {
    case 2: return count == 16;
    case 3: return count >= 14 && count <= 16;
    case 4: return count == 13 || (count >= 16 && count <= 19);
    case 5:
    case 6: return count >= 16 && count <= 19;
    default: return false;
  }
}

// Whether that is what stands behind a decimal point. A comma makes none: rows and lists have it
// between whole numbers. Nor is what begins with a group as cards have it one.
bool is_decimal(const Window& window, Look& look, std::size_t begin) noexcept {
  if (!joined(window, begin, ".")) return false;
  std::size_t digits = 0;
  while (digits <= kGroupMax && is_digit(look.at(begin + digits))) ++digits;
  return digits > kGroupMax;
}

std::size_t card_end(Look& look, std::size_t begin) noexcept {
  std::array<std::uint8_t, kCardMax> digits{};
  std::size_t count = 0;
  std::size_t good = begin;
  std::size_t at = begin;
  const int first = look.at(begin) - '0';
  if (first < 2 || first > 6) return begin;
  while (true) {
    std::size_t group = 0;
    while (is_digit(look.at(at))) {
      if (count == kCardMax) return good;
      digits[count++] = static_cast<std::uint8_t>(look.at(at) - '0');
      ++at;
      ++group;
    }
    if (group < kGroupMin) return good;
    const bool card = count >= kCardMin && !is_alnum(look.at(at)) &&
                      is_card_length(static_cast<std::size_t>(first), count) &&
                      passes_luhn(std::span(digits).first(count));
    if (card) good = at;
    if (count == kCardMax) return good;
    const Mark mark = mark_at(look, at);
    if (mark.size == 0 || !is_digit(look.at(at + mark.size))) return good;
    at += mark.size;
  }
}

// --- Social security numbers ---------------------------------------------------------------------

// So many digits from there on, as a number; -1 when one is none.
int number(Look& look, std::size_t at, std::size_t digits) noexcept {
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int byte = look.at(at + i);
    if (!is_digit(byte)) return -1;
    value = value * 10 + (byte - '0');
  }
  return value;
}

// Area, group, serial: SSA, POMS RM 10201.035 says which are never given out.
std::size_t ssn_end(Look& look, std::size_t begin) noexcept {
  const int area = number(look, begin, 3);
  if (area <= 0 || area == 666 || area >= 900) return begin;
  const Mark mark = mark_at(look, begin + 3);
  if (mark.size == 0) return begin;
  const std::size_t group = begin + 3 + mark.size;
  if (number(look, group, 2) <= 0) return begin;
  const Mark second = mark_at(look, group + 2);
  if (second.kind != mark.kind) return begin;
  const std::size_t serial = group + 2 + second.size;
  if (number(look, serial, 4) <= 0) return begin;
  const std::size_t end = serial + 4;
  const int next = look.at(end);
  if (is_alnum(next) || (next == '-' && is_digit(look.at(end + 1)))) return begin;
  return end;
}

// --- IPv4 ----------------------------------------------------------------------------------------

// Behind the octet at `at`, or `at`: 0 to 255, without leading zeros (RFC 6943 section 3.1.1).
std::size_t octet_end(Look& look, std::size_t at) noexcept {
  std::size_t end = at;
  int value = 0;
  while (end - at < 3 && is_digit(look.at(end))) {
    value = value * 10 + (look.at(end) - '0');
    ++end;
  }
  if (value > 255 || (end - at > 1 && look.at(at) == '0')) return at;
  return end;
}

std::size_t ipv4_end(Look& look, std::size_t begin) noexcept {
  std::size_t at = begin;
  for (int octet = 1;; ++octet) {
    const std::size_t end = octet_end(look, at);
    if (end == at) return begin;
    at = end;
    if (octet == 4) break;
    if (look.at(at) != '.') return begin;
    ++at;
  }
  const int next = look.at(at);
  if (is_alnum(next) || (next == '.' && is_digit(look.at(at + 1)))) return begin;
  return at;
}

}  // namespace

Found find_card(const Window& window, std::size_t from) noexcept {
  return find_number(window, from, [&window](Look& look, std::size_t begin) {
    return is_decimal(window, look, begin) ? begin : card_end(look, begin);
  });
}

Found find_ssn(const Window& window, std::size_t from) noexcept {
  return find_number(window, from, [&window](Look& look, std::size_t begin) {
    return joined(window, begin, "-") ? begin : ssn_end(look, begin);
  });
}

Found find_ipv4(const Window& window, std::size_t from) noexcept {
  return find_number(window, from, [&window](Look& look, std::size_t begin) {
    return joined(window, begin, ".") ? begin : ipv4_end(look, begin);
  });
}

}  // namespace penstock::policy
