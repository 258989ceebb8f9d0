#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "policy/byte_search.h"
#include "policy/finders.h"
#include "policy/marks.h"
#include "policy/window.h"

namespace penstock::policy {
namespace {

struct Country {
  std::string_view code;
  std::size_t length;  // of an IBAN, without separators
};

// SWIFT, IBAN Registry, release 97; in the order of their codes.
constexpr auto kCountries = std::to_array<Country>({
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22},
    {"BH", 22}, {"BI", 27}, {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24},
    {"DE", 22}, {"DJ", 27}, {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18},
    {"FK", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23}, {"GL", 18}, {"GR", 27},
    {"GT", 28}, {"HN", 28}, {"HR", 21}, {"HU", 28}, {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26},
    {"IT", 27}, {"JO", 30}, {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20},
    {"LU", 20}, {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22}, {"MK", 19}, {"MN", 20},
    {"MR", 27}, {"MT", 31}, {"MU", 30}, {"NI", 28}, {"NL", 18}, {"NO", 15}, {"OM", 23}, {"PK", 24},
    {"PL", 28}, {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"RU", 33}, {"SA", 24},
    {"SC", 31}, {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27}, {"SO", 23}, {"ST", 25},
    {"SV", 28}, {"TL", 23}, {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20},
    {"YE", 30},
});

constexpr int upper(int byte) noexcept { return byte >= 'a' && byte <= 'z' ? byte - 32 : byte; }

// 0 when no country has these letters.
std::size_t length_of(int first, int second) noexcept {
  const std::array<char, 2> code{static_cast<char>(upper(first)), static_cast<char>(upper(second))};
  const std::string_view wanted(code.data(), code.size());
  const auto row = std::ranges::lower_bound(kCountries, wanted, {}, &Country::code);
  return row == kCountries.end() || row->code != wanted ? 0 : row->length;
}

// ISO 13616: letters count from 10, the first four characters stand last, the rest modulo 97 is 1.
class Checksum {
 public:
  void add(int byte) noexcept {
    if (is_digit(byte))
      rest_ = (rest_ * 10 + static_cast<unsigned>(byte - '0')) % 97;
    else
      rest_ = (rest_ * 100 + static_cast<unsigned>(upper(byte) - 'A' + 10)) % 97;
  }
  [[nodiscard]] bool good() const noexcept { return rest_ == 1; }

 private:
  unsigned rest_ = 0;
};

// Behind the IBAN at `begin`, whose first four are letters and digits, or `begin`.
std::size_t iban_end(Look& look, std::size_t begin) noexcept {
  const std::size_t length = length_of(look.at(begin), look.at(begin + 1));
  if (length == 0) return begin;
  Checksum sum;
  std::size_t at = begin + 4;
  for (std::size_t count = 4; count < length; ++count) {
    at += mark_at(look, at).size;
    if (!is_alnum(look.at(at))) return begin;
    sum.add(look.at(at));
    ++at;
  }
  for (std::size_t i = 0; i < 4; ++i) sum.add(look.at(begin + i));
  return sum.good() && !is_alnum(look.at(at)) ? at : begin;
}

// Where the text may end within the first letters of one: its last one or two letters.
Found tail(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  if (window.final) return {};
  for (std::size_t size : {std::size_t{2}, std::size_t{1}}) {
    if (text.size() < from + size) continue;
    const std::size_t begin = text.size() - size;
    const auto letter = [&](std::size_t at) {
      return is_letter(static_cast<unsigned char>(text[at]));
    };
    if (!letter(begin) || !letter(text.size() - 1) || within_word(window, begin)) continue;
    if (size == 2 && length_of(text[begin], text[begin + 1]) == 0) continue;
    return Found::maybe(begin);
  }
  return {};
}

}  // namespace

Found find_iban(const Window& window, std::size_t from) noexcept {
  const std::string_view text = window.bytes;
  std::size_t digit = find_digit(text, from);
  while (digit < text.size()) {
    const std::size_t begin = digit - std::min<std::size_t>(digit, 2);
    const bool letters = digit >= from + 2 && is_letter(static_cast<unsigned char>(text[begin])) &&
                         is_letter(static_cast<unsigned char>(text[begin + 1]));
    if (letters && !within_word(window, begin)) {
      Look look(window);
      const bool digits = is_digit(look.at(digit + 1));
      const std::size_t end = digits ? iban_end(look, begin) : begin;
      if (look.beyond()) return Found::maybe(begin);
      if (end != begin) return Found::match(begin, end);
    }
    ++digit;
    while (digit < text.size() && is_digit(static_cast<unsigned char>(text[digit]))) ++digit;
    digit = find_digit(text, digit);
  }
  return tail(window, from);
}

}  // namespace penstock::policy
