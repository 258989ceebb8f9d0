#include "policy/stream_redactor.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/string.h"
#include "policy/identifier_corpus.h"
#include "policy/redactor.h"
#include "tests/support/seeded_rng.h"

namespace penstock::policy {
namespace {

using penstock::test::SeededRng;

constexpr std::size_t kHeldMax = 64 + 1 + 255 + 8;  // an address, and a little
constexpr std::size_t kEscapeMax = 8 + 5;           // bytes of an escape, backslashes and all

class StreamRedactorTest : public ::testing::Test {
 protected:
  std::string whole(std::string_view text, Writing writing = Writing::kPlain) {
    std::string out;
    return mask_text(all_, writing, text, tally_, out) ? out : std::string(text);
  }

  // What comes out of the pieces; nothing may be held back beyond the longest pattern.
  std::string pieces(const std::vector<std::string_view>& texts, Writing writing) {
    StreamRedactor stream(all_, writing, tally_);
    std::string out;
    for (const std::string_view piece : texts) {
      stream.feed(piece, out);
      EXPECT_LE(stream.held(), kHeldMax * kEscapeMax) << out;
    }
    stream.finish(out);
    EXPECT_EQ(stream.held(), 0U);
    return out;
  }

  std::string cut(std::string_view text, std::size_t at, Writing writing = Writing::kPlain) {
    return pieces({text.substr(0, at), text.substr(at)}, writing);
  }

  std::string letters(std::string_view text) {
    std::vector<std::string_view> all;
    for (std::size_t i = 0; i < text.size(); ++i) all.push_back(text.substr(i, 1));
    return pieces(all, Writing::kPlain);
  }

  const Redactor all_ = test::build(test::all_patterns());
  Tally tally_{};
};

TEST_F(StreamRedactorTest, NamesTheKindAndKeepsTheWordsAround) {
  EXPECT_EQ(whole("Please note anna.smith@example.com as mine"), "Please note [email] as mine");
  EXPECT_EQ(whole("it is 4111 1111 1111 1111."), "it is [card].");
  EXPECT_EQ(whole("to DE89 3704 0044 0532 0130 00 today"), "to [iban] today");
  EXPECT_EQ(whole("536-22-8421"), "[ssn]");
  EXPECT_EQ(whole("Call +1 415-555-2671 now"), "Call [phone] now");
  EXPECT_EQ(whole("from 192.168.0.1:8080"), "from [ipv4]:8080");
  EXPECT_EQ(whole("from 2001:db8::1: none"), "from [ipv6]: none");
  EXPECT_EQ(whole("key sk-proj-abcdefghijklmnop1234!"), "key [api_key]!");
  EXPECT_EQ(whole("-----BEGIN RSA PRIVATE KEY-----\nMIIE+/=\n-----END RSA PRIVATE KEY-----\nx"),
            "[private_key]\nx");
  EXPECT_EQ(whole("staff E-123456."), "staff [employee].");
  EXPECT_EQ(whole("'anna@example.com'"), "'[email]'");
}

// As rows and lists have them, at any split. Only a point makes a decimal of digits in one run.
TEST_F(StreamRedactorTest, CardsStandBehindACommaToo) {
  struct Row {
    std::string_view text;
    std::string_view wanted;
  };
  constexpr auto kRows = std::to_array<Row>({
      {"17,4111111111111111,12/27,123", "17,[card],12/27,123"},
      {"2,4111111111111111,Bob", "2,[card],Bob"},
      {"4111111111111111,5105105105105100", "[card],[card]"},
      {"1,4111 1111 1111 1111,3782-822463-10005", "1,[card],[card]"},
      {"3.4111 1111 1111 1111 and 2.3782-822463-10005", "3.[card] and 2.[card]"},
      {"5105105105105100.078-05-1120", "[card].[ssn]"},
      {"1.078-05-1120, 0.4111111111111111", "1.[ssn], 0.4111111111111111"},
      {"1,4111111111111112,41111111111111111111", "1,4111111111111112,41111111111111111111"},
  });
  for (const auto& [text, wanted] : kRows) {
    EXPECT_EQ(whole(text), wanted);
    EXPECT_EQ(whole(wanted), wanted);
    EXPECT_EQ(letters(text), wanted);
    for (std::size_t at = 0; at <= text.size(); ++at) ASSERT_EQ(cut(text, at), wanted) << at;
  }
}

// What two patterns claim is masked once, by the name of the one that begins first.
TEST_F(StreamRedactorTest, MasksTheUnionOfWhatPatternsClaim) {
  EXPECT_EQ(whole("4111111111111111@example.com"), "[email]");
  EXPECT_EQ(whole("+49 30 123456 4111 1111 1111 1111."), "[phone].");
  EXPECT_EQ(whole("E-123456@example.com"), "[email]");
}

TEST_F(StreamRedactorTest, LeavesLookalikesAlone) {
  for (const std::string& text : test::lookalikes()) {
    EXPECT_EQ(whole(text), text);
    EXPECT_EQ(letters(text), text);
  }
}

// Recall on the whole is complete, every split at any byte gives the same, and so do letters.
TEST_F(StreamRedactorTest, TenThousandIdentifiersAtEverySplit) {
  const std::uint64_t seed = penstock::test::seed_of_test(4);
  SCOPED_TRACE(penstock::test::rerun_with(seed));
  SeededRng rng(seed);
  for (const test::Sample& sample : test::identifier_corpus(rng, 10'000)) {
    const std::string text = sample.text();
    const std::string wanted = sample.masked();
    ASSERT_EQ(whole(text), wanted);
    ASSERT_EQ(whole(wanted), wanted);  // once is enough
    const std::size_t from = sample.before.size() - std::min<std::size_t>(sample.before.size(), 3);
    const std::size_t to =
        std::min(text.size(), sample.before.size() + sample.identifier.size() + 3);
    for (std::size_t at = from; at <= to; ++at)
      ASSERT_EQ(cut(text, at), wanted) << "split at " << at << " of " << text;
    ASSERT_EQ(letters(text), wanted);
  }
}

// The same text as the inside of a JSON string, every character written as an escape or not.
TEST_F(StreamRedactorTest, EscapesHideNothingAtEverySplit) {
  SeededRng rng(7);
  for (const test::Sample& sample : test::identifier_corpus(rng, 600)) {
    std::string raw;
    std::vector<std::size_t> between{0};
    for (const char byte : sample.identifier) {
      const auto value = static_cast<unsigned>(static_cast<unsigned char>(byte));
      if (value >= 0x80)
        raw += byte;
      else if (rng.below(2) == 0)
        raw += fmt::format("\\u{:04x}", value);
      else
        json::append_escaped(raw, {&byte, 1});
      between.push_back(raw.size());
    }
    const std::string wanted = "[" + sample.kind + "]";
    ASSERT_EQ(whole(raw, Writing::kJson), wanted) << raw;
    for (const std::size_t at : between)
      ASSERT_EQ(cut(raw, at, Writing::kJson), wanted) << at << " of " << raw;
  }
}

// Arguments of tools are JSON within a string: escapes within escapes.
TEST_F(StreamRedactorTest, EscapesWithinEscapesHideNothing) {
  const std::string arguments =
      R"({\"to\":\"\\u0061nna.smith\\u0040ex\\u0061mple.com\",\"a\":\"x\\nbob@example.com\"})";
  EXPECT_EQ(whole(arguments, Writing::kJson), R"({\"to\":\"[email]\",\"a\":\"x\\n[email]\"})");
  for (std::size_t at = 0; at <= arguments.size(); ++at) {
    const bool within = at > 0 && arguments[at - 1] == '\\' &&
                        (at < 2 || arguments[at - 2] != '\\' || arguments[at] != 'u');
    if (within) continue;
    ASSERT_EQ(cut(arguments, at, Writing::kJson), whole(arguments, Writing::kJson)) << at;
  }
  // In prose a backslash is one.
  EXPECT_EQ(whole(R"(C:\\temp\\note of DOMAIN\\robert@example.com)", Writing::kJson),
            R"(C:\\temp\\note of DOMAIN\\[email])");
}

// Blanks and hyphens beyond ASCII part numbers as ASCII's do, as characters and as escapes.
TEST_F(StreamRedactorTest, MarksBeyondAsciiHideNothingAtAnySplit) {
  struct Form {
    std::string_view kind;
    std::string_view text;  // with `_` for the mark
  };
  constexpr auto kForms = std::to_array<Form>({{"card", "4111_1111_1111_1111"},
                                               {"iban", "DE89_3704_0044_0532_0130_00"},
                                               {"ssn", "536_22_8421"},
                                               {"phone", "+1_415_555_2671"},
                                               {"phone", "(415)_555_2671"},
                                               {"phone", "1_415_555_2671"},
                                               {"phone", "+49_(30)_123456"}});
  constexpr auto kMarks = std::to_array<std::string_view>(
      {"\u00A0", "\u00AD", "\u2000", "\u2007", "\u2009", "\u200B", "\u200F",
       "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u202F",
       "\u205F", "\u2060", "\u2212", "\u3000", "\uFE63", "\uFEFF", "\uFF0D"});
  for (const Form& form : kForms)
    for (const std::string_view mark : kMarks) {
      const auto with = [&form](std::string_view in_between) {
        std::string out = "my number: ";
        for (const char byte : form.text)
          out += byte == '_' ? in_between : std::string_view(&byte, 1);
        return out + " – thanks";
      };
      const std::string text = with(mark);
      const std::string wanted = fmt::format("my number: [{}] – thanks", form.kind);
      ASSERT_EQ(whole(text), wanted);
      ASSERT_EQ(letters(text), wanted);
      for (std::size_t at = 0; at <= text.size(); ++at) ASSERT_EQ(cut(text, at), wanted) << at;
      const auto lead = static_cast<unsigned char>(mark.front());
      unsigned point = lead & (mark.size() == 2 ? 0x1FU : 0x0FU);
      for (const char byte : mark.substr(1))
        point = point << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
      ASSERT_EQ(whole(with(fmt::format("\\u{:04x}", point)), Writing::kJson), wanted) << text;
    }
  for (const std::string_view text :
       {"4111–1111–1111–1112", "536–22 8421", "4111 – 1111 1111 1111", "536→22→8421",
        "415…555…2671", "pages 12–34, 2019–2021, −5 °C", "4111\xE2\x80 1111 1111 1111",
        "536\xC2`22\xC2`8421"})
    EXPECT_EQ(whole(text), text);
}

// A text that is not JSON from its first character may quote some: the letter or digit that ends an
// escape is no reason to take what follows it for the rest of a word, at any split.
TEST_F(StreamRedactorTest, AnEscapeInFrontHidesNothing) {
  SeededRng rng(8);
  constexpr auto kEscapes = std::to_array<std::string_view>(
      {R"(\n)", R"(\t)", R"(\r)", R"(\u00a0)", R"(\u000A)", R"(\u0020)"});
  for (const test::Sample& sample : test::identifier_corpus(rng, 300)) {
    // Of an address the letter may be a part; an expression decides by itself.
    if (sample.kind == "email" || sample.kind == "employee") continue;
    for (const std::string_view escape : kEscapes) {
      const std::string before = std::string("the tool says {\"a\": \"x").append(escape);
      const std::string text = before + sample.identifier + "\"}";
      const std::string wanted = before + "[" + sample.kind + "]\"}";
      ASSERT_EQ(whole(text), wanted);
      ASSERT_EQ(letters(text), wanted);
      for (std::size_t at = before.size() - 6; at <= before.size() + 4; ++at)
        ASSERT_EQ(cut(text, at), wanted) << at;
      const std::string raw = std::string("says: x\\").append(escape);
      std::string quoted = raw;
      json::append_escaped(quoted, sample.identifier);
      ASSERT_EQ(whole(quoted, Writing::kJson), raw + "[" + sample.kind + "]") << quoted;
    }
  }
  EXPECT_EQ(whole(R"(see: \b::1:2:3:4:5:6:7, \f1::2)"), R"(see: \b[ipv6], \[ipv6])");
  EXPECT_EQ(whole(R"(see: \nanna@example.com)"), R"(see: \[email])");
}

// Results of tools are JSON in JSON, behind a word or a fence: whatever the depth, an identifier
// is found, with its bytes written as escapes of the innermost or not, and at any split.
TEST_F(StreamRedactorTest, NestedJsonHidesNothing) {
  SeededRng rng(12);
  constexpr auto kFronts =
      std::to_array<std::string_view>({"", "\uFEFF", "Result: ", "```json\n", " \n"});
  std::size_t turn = 0;
  for (const test::Sample& sample : test::identifier_corpus(rng, 400)) {
    if (sample.identifier.find('\n') != std::string::npos) continue;  // a key's own line ends
    // Of an address the letter may be a part; an expression decides by itself.
    const bool behind = sample.kind != "email" && sample.kind != "employee";
    const std::string before = behind ? "x\n" : "x: ";
    const std::string escaped =
        fmt::format("\\u{:04x}", static_cast<unsigned>(sample.identifier.front()) & 0x7FU);
    const bool ascii = static_cast<unsigned char>(sample.identifier.front()) < 0x80;
    for (std::size_t depth = 1; depth <= 4; ++depth) {
      const auto nested = [&](std::string_view inside, bool escape) {
        std::string text = "[\"";
        json::append_escaped(text, before);
        if (escape) text += escaped;
        json::append_escaped(text, inside.substr(escape ? 1 : 0));
        text += "\"]";
        for (std::size_t i = 1; i < depth; ++i) {
          std::string outer = "{\"text\":";
          json::append_quoted(outer, text);
          text = outer + "}";
        }
        return std::string(kFronts[turn % kFronts.size()]) + text + "\n```";
      };
      ++turn;
      const std::string wanted = nested("[" + sample.kind + "]", false);
      for (const bool escape : {false, true}) {
        if (escape && !ascii) continue;
        const std::string text = nested(sample.identifier, escape);
        ASSERT_EQ(whole(text), wanted) << text;
        ASSERT_EQ(letters(text), wanted);
        if (turn % 16 == 0)
          for (std::size_t at = 0; at <= text.size(); ++at) ASSERT_EQ(cut(text, at), wanted) << at;
        std::string raw;
        std::string raw_wanted;
        json::append_escaped(raw, text);
        json::append_escaped(raw_wanted, wanted);
        ASSERT_EQ(whole(raw, Writing::kJson), raw_wanted) << raw;
      }
    }
  }
}

// What is no escape stays, however many backslashes there are.
TEST_F(StreamRedactorTest, BackslashesThatAreNoEscapesStay) {
  for (std::size_t count = 1; count < 20; ++count) {
    const std::string slashes(count, '\\');
    for (const std::string_view front : {"", "{"})
      for (const std::string_view behind : {"", "u", "u00", "u00x", "x", "\"", "é", "u0041 y"}) {
        const std::string text = fmt::format("{}a {}{}", front, slashes, behind);
        EXPECT_EQ(whole(text + " a@example.com"), text + " [email]");
        EXPECT_EQ(letters(text + " a@example.com"), text + " [email]");
        EXPECT_EQ(letters(text), text);
      }
  }
  EXPECT_EQ(whole(R"(to \\u0061nna\u0040example.com)"), "to [email]");
}

TEST_F(StreamRedactorTest, BytesThatAreNotMaskedStayAsTheyWereWritten) {
  const std::string raw = R"(\u00e9\/\ud83d\ude00\ud83d \"é\" anna@example.com \u0041\n)";
  EXPECT_EQ(whole(raw, Writing::kJson), R"(\u00e9\/\ud83d\ude00\ud83d \"é\" [email] \u0041\n)");
  EXPECT_EQ(letters("größe 日本 😀"), "größe 日本 😀");
}

// Words that cannot become anything are there at once; of others only the end waits.
TEST_F(StreamRedactorTest, HoldsBackOnlyWhatMayBecomeOne) {
  StreamRedactor stream(all_, Writing::kPlain, tally_);
  std::string out;
  stream.feed("Hello there, ", out);
  EXPECT_EQ(out, "Hello there, ");
  stream.feed("my friend", out);
  EXPECT_EQ(out, "Hello there, my ");
  stream.feed("! 4111", out);
  EXPECT_EQ(out, "Hello there, my friend! ");
  stream.feed(" is", out);
  EXPECT_EQ(out, "Hello there, my friend! 4111 ");
  stream.finish(out);
  EXPECT_EQ(out, "Hello there, my friend! 4111 is");
}

// A key's mask is there as soon as it is surely one, and however long it goes on nothing of it is
// passed or kept.
TEST_F(StreamRedactorTest, AnEndlessKeyHoldsNothing) {
  StreamRedactor stream(all_, Writing::kPlain, tally_);
  std::string out;
  stream.feed("-----BEGIN PRIVATE KEY-----\n", out);
  for (int i = 0; i < 5000; ++i) {
    stream.feed("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n", out);
    ASSERT_EQ(stream.held(), 0U);
  }
  stream.feed("-----END PRIVATE KEY----- done", out);
  stream.finish(out);
  EXPECT_EQ(out, "[private_key] done");
}

TEST_F(StreamRedactorTest, TellsWhatItFound) {
  StreamRedactor stream(all_, Writing::kPlain, tally_);
  std::string out;
  stream.feed("to anna@example.com", out);
  EXPECT_FALSE(stream.found());
  stream.feed(" ", out);
  ASSERT_TRUE(stream.found());
  EXPECT_EQ(all_.name(*stream.found()), "email");
  EXPECT_EQ(tally_[*stream.found()], 1U);
}

}  // namespace
}  // namespace penstock::policy
