#include "policy/identifier_corpus.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/describe.h"
#include "base/result.h"
#include "base/rng.h"
#include "policy/pattern_kind.h"
#include "policy/redact_config.h"
#include "policy/redactor.h"

namespace penstock::policy::test {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kKeyChars =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// What stands between the parts of a number: mostly ASCII's.
constexpr auto kBlanks = std::to_array<std::string_view>(
    {" ", " ", " ", "\u00A0", "\u2007", "\u2009", "\u200B", "\u202F", "\u3000", "\uFEFF"});
constexpr auto kHyphens = std::to_array<std::string_view>(
    {"-", "-", "-", "\u00AD", "\u2010", "\u2011", "\u2012", "\u2013", "\u2212", "\uFF0D"});

// Draws what identifiers are made of.
class Maker {
 public:
  explicit Maker(Rng& rng) : rng_(rng) {}

  std::string some(std::string_view of, std::size_t count) {
    std::string out;
    while (out.size() < count) out += of[rng_.below(of.size())];
    return out;
  }
  std::size_t between(std::size_t low, std::size_t high) {
    return low + rng_.below(high - low + 1);
  }
  std::string_view one(std::span<const std::string_view> of) { return of[rng_.below(of.size())]; }

  std::string email() {
    static constexpr auto kEnds =
        std::to_array<std::string_view>({"com", "org", "bücher.example", "de", "co.uk",
                                         "example.com", "xn--p1ai", "dev", "museum"});
    static constexpr auto kJoints = std::to_array<std::string_view>({".", "_", "+", "-", "", "ü"});
    return some(kLower, between(1, 12)) + std::string(one(kJoints)) + some(kLower, between(1, 12)) +
           "@" + some(kLower, between(1, 15)) + "." + std::string(one(kEnds));
  }

  std::string phone() {
    const std::string area = some("23456789", 1) + some(kDigits, 2);
    const std::string exchange = some("23456789", 1) + some(kDigits, 2);
    const std::string line = some(kDigits, 4);
    switch (rng_.below(5)) {
      case 0:
        return fmt::format("+1{}{}{}{}{}{}", one(kBlanks), area, one(kHyphens), exchange,
                           one(kHyphens), line);
      case 1: return fmt::format("({}){}{}{}{}", area, one(kBlanks), exchange, one(kHyphens), line);
      case 2: return fmt::format("{}.{}.{}", area, exchange, line);
      case 3: return fmt::format("+49 {} {}", some("123456789", 2), some(kDigits, between(5, 9)));
      default: return "+44" + some("1278", 1) + some(kDigits, 9);
    }
  }

  std::string card() {
    static constexpr auto kFirsts =
        std::to_array<std::string_view>({"4", "51", "2720", "6011", "35", "37", "36"});
    const std::string_view first = one(kFirsts);
    const std::size_t count = first == "37" ? 15 : first == "36" ? 14 : 16;
    std::string digits = std::string(first) + some(kDigits, count - first.size() - 1);
    digits += luhn_digit(digits);
    const auto marks = std::to_array<std::string_view>({"", one(kBlanks), one(kHyphens)});
    const std::string_view mark = one(marks);
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
      const bool fours = count == 16 && i % 4 == 0;
      const bool american = count < 16 && (i == 4 || i == 10);
      if (i != 0 && (fours || american)) out += mark;
      out += digits[i];
    }
    return out;
  }

  std::string iban() {
    struct Shape {
      std::string_view country;
      std::string_view letters;  // of its bank code
      std::size_t digits;
    };
    static constexpr auto kShapes = std::to_array<Shape>({{"DE", "", 18},
                                                          {"GB", "WEST", 14},
                                                          {"NL", "ABNA", 10},
                                                          {"FR", "", 23},
                                                          {"NO", "", 11},
                                                          {"MT", "MALT", 23}});
    const Shape& shape = kShapes[rng_.below(kShapes.size())];
    const std::string rest = std::string(shape.letters) + some(kDigits, shape.digits);
    std::string whole = fmt::format("{}{:02}{}", shape.country,
                                    98 - mod97(rest + std::string(shape.country) + "00"), rest);
    if (rng_.below(2) == 0) return whole;
    const std::string_view mark = one(kBlanks);
    std::string out;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (i != 0 && i % 4 == 0) out += mark;
      out += whole[i];
    }
    return out;
  }

  std::string ssn() {
    std::size_t area = between(1, 899);
    if (area == 666) area = 665;
    const bool blanks = rng_.below(4) == 0;
    const auto mark = [&] { return blanks ? one(kBlanks) : one(kHyphens); };
    return fmt::format("{:03}{}{:02}{}{:04}", area, mark(), between(1, 99), mark(),
                       between(1, 9999));
  }

  std::string ipv4() {
    return fmt::format("{}.{}.{}.{}", between(1, 255), between(0, 255), between(0, 255),
                       between(0, 255));
  }

  std::string ipv6() {
    switch (rng_.below(4)) {
      case 0: return fmt::format("fe80::{:x}", between(0x100, 0xfff)) + "1";
      case 1: return fmt::format("2001:db8::{:x}:{:x}", between(1, 0xffff), between(16, 0xffff));
      case 2: return "::ffff:" + ipv4();
      default: break;
    }
    std::string out = "2001";
    for (int i = 0; i < 7; ++i) out += fmt::format(":{:x}", between(0, 0xffff));
    return out;
  }

  std::string api_key() {
    switch (rng_.below(7)) {
      case 0: return "sk-proj-" + some(kKeyChars, between(20, 150));
      case 1: return "AKIA" + some(kUpper, 16);
      case 2: return "ghp_" + some(kKeyChars, 36);
      case 3: return "xoxb-" + some(kDigits, 12) + "-" + some(kKeyChars, 24);
      case 4: return "AIza" + some(kKeyChars, 35);
      case 5: return "SG." + some(kKeyChars, 22) + "." + some(kKeyChars, 43);
      default: return "sk-ant-api03-" + some(kKeyChars, 90);
    }
  }

  std::string private_key() {
    static constexpr auto kLabels =
        std::to_array<std::string_view>({"RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY",
                                         "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"});
    const std::string_view label = one(kLabels);
    std::string out = fmt::format("-----BEGIN {}-----\n", label);
    for (std::size_t line = between(0, 1); line > 0; --line) out += some(kKeyChars, 64) + "\n";
    return out + some(kKeyChars, between(1, 60)) + fmt::format("==\n-----END {}-----", label);
  }

  std::string made(PatternKind kind) {
    switch (kind) {
      case PatternKind::kEmail: return email();
      case PatternKind::kPhone: return phone();
      case PatternKind::kCard: return card();
      case PatternKind::kIban: return iban();
      case PatternKind::kSsn: return ssn();
      case PatternKind::kIpv4: return ipv4();
      case PatternKind::kIpv6: return ipv6();
      case PatternKind::kApiKey: return api_key();
      case PatternKind::kPrivateKey: return private_key();
      case PatternKind::kCustom: break;
    }
    return "E-" + some(kDigits, 6);
  }

 private:
  static char luhn_digit(std::string_view digits) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      unsigned value = static_cast<unsigned>(digits[digits.size() - 1 - i] - '0');
      if (i % 2 == 0) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
      sum += value;
    }
    return static_cast<char>('0' + (10 - sum % 10) % 10);
  }

  static unsigned mod97(std::string_view text) {
    unsigned rest = 0;
    for (const char c : text) {
      const bool digit = c >= '0' && c <= '9';
      const unsigned value = static_cast<unsigned>(digit ? c - '0' : c - 'A' + 10);
      rest = (rest * (digit ? 10 : 100) + value) % 97;
    }
    return rest;
  }

  Rng& rng_;
};

constexpr auto kBefore = std::to_array<std::string_view>(
    {"", "Please note ", "Call me: ", "{\"to\":\"", "<", "my number is\n", "(", "Größe „", "x = '",
     "the 3rd of ", "id,", "see https://host/?q=", "日本語 "});
constexpr auto kBehind =
    std::to_array<std::string_view>({"", " as mine", ", thanks", "\"}", ">", "\nand so on", ")",
                                     "“ ist gut", "'; next", " today.", "!", "? No", " 日本語"});

}  // namespace

RedactConfig all_patterns(RedactAction action) {
  RedactConfig config;
  for (const auto& row : enum_names(Describe<PatternKind>{})) config.patterns.push_back(row.value);
  config.custom.add("employee").expression = "\\bE-\\d{6}\\b";
  config.action = action;
  return config;
}

Redactor build(const RedactConfig& config) {
  Result<Redactor> built = Redactor::build(config);
  PENSTOCK_ASSERT(built.has_value());
  return *std::move(built);
}

std::vector<Sample> identifier_corpus(Rng& rng, std::size_t count) {
  Maker maker(rng);
  std::vector<Sample> all;
  while (all.size() < count) {
    const auto kind = static_cast<PatternKind>(all.size() % (kBuiltInPatterns + 1));
    const std::string_view word = kind == PatternKind::kCustom ? "employee" : name(kind);
    all.push_back({std::string(word), std::string(maker.one(kBefore)), maker.made(kind),
                   std::string(maker.one(kBehind))});
  }
  return all;
}

std::vector<std::string> lookalikes() {
  return {
      "order 4111 1111 1111 1112 of DE89370400440532013001 at 10:30, see example.com and @anna",
      "version 1.2.3, 10.4.0-rc1, v1.2.3.4 and 1.2.3.4.5 and 256.1.1.1 and 01.2.3.4",
      "at 10:30:15 on 2024-01-31, 01/31/2024, 31.01.2024 12:00",
      "0.4111111111111111 and 12.5105105105105100 and x4111111111111111 and 41111111111111111111",
      "000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000 1123-45-6789 123-45-67890",
      "12345-123-45-6789 and 123-45-6789-1",
      "price 415 dollars, 555-2671 alone, 415-555-267, 115-555-2671, 415-155-2671, +12 34",
      "1+12345678",
      "DE89 and DE00 0000, XX89370400440532013000, IS it, de-89, NL91ABNA0417164301",
      "std::vector, add::face, a::b, ::, 1::2::3, 12:34:56:78:9a:bc, fe80, abc:def, http://x",
      "task_sk-abcdefghijklmnopqrstuvwxyz, risk-abcdefghijklmnopqrstuvwxyz, sk-short, AKIAABC",
      "ghp_short, xoxb-1, desk-1234567890abcdef",
      "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
      "a@b, anna@localhost, @example.com, anna@.com, anna@example., anna @ example.com, a@b.c",
      "x@1.2",
      "e-123456, E-12345, E-1234567, XE-123456",
      "550e8400-e29b-41d4-a716-446655440000 and 1700000000000 and 1700000000",
      "[email] [phone] [card] [iban] [ssn] [ipv4] [ipv6] [api_key] [private_key] [employee]",
      "plain words, and nothing else; the quick brown fox jumps over the lazy dog.",
      "",
  };
}

}  // namespace penstock::policy::test
