#include "policy/finders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>

#include <gtest/gtest.h>
#include <re2/re2.h>
#include <re2/stringpiece.h>

#include "base/rng.h"
#include "policy/identifier_corpus.h"
#include "policy/window.h"
#include "tests/support/seeded_rng.h"

// The finders against RE2: each kind once more as an expression and a few words about what stands
// around it. The referee tries every beginning and every length.
namespace penstock::policy {
namespace {

using Finder = Found (*)(const Window&, std::size_t);

struct Around {
  std::string_view text;
  std::size_t begin;
  std::size_t end;

  [[nodiscard]] int at(std::size_t place) const {
    return place < text.size() ? static_cast<unsigned char>(text[place]) : -1;
  }
  [[nodiscard]] int left(std::size_t back = 1) const {
    return begin < back ? -1 : at(begin - back);
  }
  [[nodiscard]] int right(std::size_t on = 0) const { return at(end + on); }
  // A letter or digit stands before it, which is not the end of an escape.
  [[nodiscard]] bool in_word() const {
    static const RE2 kEscape(R"((?s).*\\(?:[bfnrt]|u[0-9a-fA-F]{4}))");
    return is_alnum(left()) && !RE2::FullMatch(re2::StringPiece(text.data(), begin), kEscape);
  }
  [[nodiscard]] std::string_view inside() const { return text.substr(begin, end - begin); }
  [[nodiscard]] bool joined(std::string_view joints) const {
    return left() >= 0 && joints.find(static_cast<char>(left())) != std::string_view::npos &&
           is_digit(left(2));
  }
};

struct Referee {
  std::string_view kind;
  Finder find;
  std::string_view expression;
  std::function<bool(const Around&)> holds;
};

std::string digits_of(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out), [](char c) { return is_digit(c); });
  return out;
}

bool luhn(const std::string& digits) {
  int sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    int value = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) value = value * 2 / 10 + value * 2 % 10;
    sum += value;
  }
  return sum % 10 == 0;
}

bool is_card(const Around& a) {
  std::size_t run = 0;
  while (is_digit(a.at(a.begin + run))) ++run;
  if (a.in_word() || is_alnum(a.right()) || (a.joined(".") && run > 6)) return false;
  const std::string digits = digits_of(a.inside());
  static const std::map<char, std::vector<std::size_t>> kLengths{{'2', {16}},
                                                                 {'3', {14, 15, 16}},
                                                                 {'4', {13, 16, 17, 18, 19}},
                                                                 {'5', {16, 17, 18, 19}},
                                                                 {'6', {16, 17, 18, 19}}};
  const auto row = kLengths.find(digits[0]);
  return row != kLengths.end() && std::ranges::count(row->second, digits.size()) == 1 &&
         luhn(digits);
}

bool is_iban(const Around& a) {
  if (a.in_word() || is_alnum(a.right())) return false;
  std::string plain;
  for (const char c : a.inside())
    if (is_alnum(c)) plain += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  static const std::map<std::string, std::size_t> kLengths{{"DE", 22}, {"GB", 22}, {"NL", 18},
                                                           {"FR", 27}, {"NO", 15}, {"MT", 31}};
  const auto row = kLengths.find(plain.substr(0, 2));
  if (row == kLengths.end() || row->second != plain.size()) return false;
  int rest = 0;
  for (const char c : plain.substr(4) + plain.substr(0, 4))
    rest = is_digit(c) ? (rest * 10 + c - '0') % 97 : (rest * 100 + c - 'A' + 10) % 97;
  return rest == 1;
}

bool is_ssn(const Around& a) {
  const std::string digits = digits_of(a.inside());
  const int area = std::stoi(digits.substr(0, 3));
  const bool open = a.in_word() || a.joined("-") || is_alnum(a.right()) ||
                    (a.right() == '-' && is_digit(a.right(1)));
  return !open && area != 0 && area != 666 && area < 900 && digits.substr(3, 2) != "00" &&
         digits.substr(5) != "0000";
}

bool is_phone(const Around& a) {
  const std::string digits = digits_of(a.inside());
  if (is_alnum(a.right())) return false;
  if (a.inside().front() == '+')
    return !a.in_word() && (digits[0] == '1' ? digits.size() == 11 : digits.size() >= 8);
  const bool bracket = a.inside().front() == '(';
  return !(a.right() == '-' && is_digit(a.right(1))) && (bracket || !a.in_word()) &&
         !a.joined(".-/");
}

bool is_ipv6(const Around& a) {
  const auto inner = [](int byte) { return is_hex(byte) || byte == ':' || byte == '.'; };
  std::size_t behind = a.end;  // what may follow: dots, one colon before them
  if (a.right() == ':') ++behind;
  while (a.at(behind) == '.') ++behind;
  if (inner(a.at(behind)) || is_alnum(a.at(behind))) return false;
  if (a.in_word() || a.left() == ':' || (a.left() == '.' && inner(a.left(2)))) return false;
  std::array<unsigned char, 16> address{};
  const std::string text(a.inside());
  return !digits_of(text).empty() && inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

// An expression with the blanks and hyphens that may part a number written out.
std::string written_out(std::string_view expression) {
  std::string out(expression);
  RE2::GlobalReplace(&out, "MARK", "BLANKHYPHEN");
  RE2::GlobalReplace(&out, "BLANK",
                     R"( \\x{A0}\\x{2000}-\\x{200F}\\x{202F}\\x{205F}\\x{2060}\\x{3000}\\x{FEFF})");
  RE2::GlobalReplace(
      &out, "HYPHEN",
      R"(\\x{AD}\\x{2010}-\\x{2015}\\x{2043}\\x{2212}\\x{FE58}\\x{FE63}\\x{FF0D}\\-)");
  return out;
}

const std::vector<Referee>& referees() {
  static const std::vector<Referee> kAll{
      {"email", find_email,
       "[A-Za-z0-9_\\x{C0}-\\x{7FF}][A-Za-z0-9_.%+'\\-\\x{C0}-\\x{7FF}]{0,63}@"
       "(?:[A-Za-z0-9\\x{C0}-\\x{7FF}](?:[A-Za-z0-9\\-\\x{C0}-\\x{7FF}]*"
       "[A-Za-z0-9\\x{C0}-\\x{7FF}])?\\.)+[A-Za-z\\x{C0}-\\x{7FF}]"
       "(?:[A-Za-z0-9\\-\\x{C0}-\\x{7FF}]*[A-Za-z0-9\\x{C0}-\\x{7FF}])?",
       [](const Around& a) {
         const std::string_view text = a.inside();
         return text.size() - text.rfind('.') > 2;
       }},
      {"phone", find_phone,
       "\\+[1-9](?:(?:[./()MARK]|[()][./()MARK]|[./()MARK][()])?\\d){7,14}|"
       "(?:1[.MARK])?(?:\\([2-9]\\d\\d\\)[.MARK]?|[2-9]\\d\\d[.MARK])"
       "[2-9]\\d\\d[.MARK]\\d{4}",
       is_phone},
      {"card", find_card, "\\d{3,19}(?:[MARK]\\d{3,19}){0,5}", is_card},
      {"iban", find_iban, "(?i)[A-Z]{2}\\d{2}(?:[MARK]?[A-Z0-9]){11,30}", is_iban},
      {"ssn", find_ssn, "\\d{3}[HYPHEN]\\d{2}[HYPHEN]\\d{4}|\\d{3}[BLANK]\\d{2}[BLANK]\\d{4}",
       is_ssn},
      {"ipv4", find_ipv4,
       "(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)",
       [](const Around& a) {
         return !a.in_word() && !a.joined(".") && !is_alnum(a.right()) &&
                !(a.right() == '.' && is_digit(a.right(1)));
       }},
      {"ipv6", find_ipv6, "[0-9a-fA-F:.]{3,45}", is_ipv6},
  };
  return kAll;
}

// The first identifier at or after `from`, as the referee sees it.
Found judged(const Referee& referee, const RE2& expression, std::string_view text,
             std::size_t from) {
  for (std::size_t begin = from; begin < text.size(); ++begin)
    for (std::size_t end = text.size(); end > begin; --end) {
      const Around around{text, begin, end};
      const re2::StringPiece inside(text.data() + begin, end - begin);
      if (RE2::FullMatch(inside, expression) && referee.holds(around))
        return Found::match(begin, end);
    }
  return {};
}

// An identifier of the corpus with a few bytes changed, between words and marks.
std::string resembling(Rng& rng, const test::Sample& sample) {
  constexpr std::string_view kBytes = "0123456789 .-:/()+@_aAfZx4DE";
  std::string text = sample.identifier;
  for (std::uint64_t changes = rng.below(3); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = rng.below(text.size());
    if (static_cast<unsigned char>(text[at]) >= 0x80) continue;
    const char byte = kBytes[rng.below(kBytes.size())];
    switch (rng.below(3)) {
      case 0: text[at] = byte; break;
      case 1: text.erase(at, 1); break;
      default: text.insert(at, 1, byte); break;
    }
  }
  const auto some = [&rng, kBytes] {
    std::string out;
    for (std::uint64_t i = rng.below(4); i > 0; --i) out += kBytes[rng.below(kBytes.size())];
    return out;
  };
  constexpr auto kEscapes =
      std::to_array<std::string_view>({"", "", "", "\\n", "\\b", "\\u0020", "\\u00a"});
  return some().append(kEscapes[rng.below(kEscapes.size())]) + text + some() +
         text.substr(0, rng.below(6));
}

TEST(FindersTest, AgreeWithTheirExpressions) {
  const std::uint64_t seed = penstock::test::seed_of_test(16);
  SCOPED_TRACE(penstock::test::rerun_with(seed));
  penstock::test::SeededRng rng(seed);
  std::map<std::string_view, std::size_t> found;
  std::map<std::string_view, RE2> expressions;
  for (const Referee& referee : referees())
    expressions.try_emplace(referee.kind, written_out(referee.expression));
  for (const test::Sample& sample : test::identifier_corpus(rng, 40'000)) {
    const auto referee = std::ranges::find(referees(), sample.kind, &Referee::kind);
    if (referee == referees().end()) continue;
    const std::string text = resembling(rng, sample);
    for (std::size_t from = 0; from < text.size();) {
      const Found wanted = judged(*referee, expressions.at(referee->kind), text, from);
      const Found got = referee->find({text, true}, from);
      ASSERT_EQ(got.what == Found::What::kMatch, wanted.what == Found::What::kMatch)
          << sample.kind << " in: " << text << " from " << from;
      if (wanted.what != Found::What::kMatch) break;
      ASSERT_EQ(std::pair(got.begin, got.end), std::pair(wanted.begin, wanted.end))
          << sample.kind << " in: " << text;
      ++found[referee->kind];
      from = got.end;
    }
  }
  for (const Referee& referee : referees()) EXPECT_GT(found[referee.kind], 100U) << referee.kind;
}

// What is said of a part of a text stays true however it goes on.
TEST(FindersTest, WhatIsSaidOfAPartHoldsForTheWhole) {
  penstock::test::SeededRng rng(5);
  for (const test::Sample& sample : test::identifier_corpus(rng, 2000)) {
    const auto referee = std::ranges::find(referees(), sample.kind, &Referee::kind);
    if (referee == referees().end()) continue;
    const std::string text = resembling(rng, sample);
    const Found whole = referee->find({text, true}, 0);
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string_view part = std::string_view(text).substr(0, size);
      const Found now = referee->find({part, false}, 0);
      const std::size_t begin = whole.what == Found::What::kMatch ? whole.begin : text.size();
      if (now.what == Found::What::kMatch)
        ASSERT_EQ(std::pair(now.begin, now.end), std::pair(whole.begin, whole.end)) << part;
      else
        ASSERT_GE(begin, now.what == Found::What::kMaybe ? now.begin : size) << part << "|" << text;
    }
  }
}

}  // namespace
}  // namespace penstock::policy
