#include "json/top_level.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/reader.h"

namespace penstock::json {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

// What a walk told: whole members as written, and a last one without its end.
struct Walk {
  Members members;
  std::string bytes;  // of all runs
  bool closed = false;

  bool operator==(const Walk&) const = default;
};

class Walker {
 public:
  void feed(std::string_view piece) {
    const std::string own(piece);  // its own memory: no view may outlive it
    for (std::string_view rest = own; !rest.empty();) on_run(top_level_.next(rest));
    walk_.closed = top_level_.closed();
  }

  [[nodiscard]] const Walk& walk() const { return walk_; }

 private:
  void on_run(TopLevel::Run run) {
    walk_.bytes += run.bytes;
    if (run.part == TopLevel::Part::kBetween) return;
    text_ += run.bytes;
    if (!run.ends) return;
    if (run.part == TopLevel::Part::kKey)
      walk_.members.emplace_back(text_, "");
    else
      walk_.members.back().second = text_;
    text_.clear();
  }

  TopLevel top_level_;
  Walk walk_;
  std::string text_;
};

// The text in pieces that end at `first`, at `second` and then every `size`.
Walk walked(std::string_view text, std::size_t first, std::size_t second, std::size_t size) {
  Walker walker;
  first = std::min(first, text.size());
  second = std::clamp(second, first, text.size());
  walker.feed(text.substr(0, first));
  walker.feed(text.substr(first, second - first));
  for (std::size_t at = second; at < text.size(); at += size) walker.feed(text.substr(at, size));
  return walker.walk();
}

Walk walked(std::string_view text) { return walked(text, 0, 0, text.size() + 1); }

Members members_by_reader(std::string_view text) {
  Members members;
  Reader reader(text);
  std::string_view key;
  reader.enter_object();
  while (reader.next_key(key)) {
    const std::string quoted = "\"" + std::string(key) + "\"";
    members.emplace_back(quoted, reader.skip_value());
  }
  EXPECT_TRUE(reader.finish()) << text;
  return members;
}

// Every kind of value, brackets and quotes within strings, escapes before quotes, empty names,
// names twice, white space wherever it may be.
constexpr std::string_view kOdd =
    " \r\n{ \"a\" : 1 ,\t\"model\":\"x\\\\\",\"b\\\"{\":[{\"model\":\"n\"},[[\"]\\\"]\"],{}],0.5],"
    "\"\":-1.5E+30,\"\\u006dodel\":{\"}\\\\\\\"\":[],\"deep\":{\"deep\":{\"a\":\"\\\\\"}}} , "
    "\"t\":true,\"f\":false\n,\"n\":null,\"n\":\"\",\"long\":\"\xF0\x9F\x9A\xB0 caf\xC3\xA9 "
    "0123456789012345678901234567890123456789\",\"usage\":{\"prompt_tokens\":7},\"z\":0}\n ";

// The same members as the strict reader finds, and no byte lost.
TEST(TopLevel, TellsTheMembersOfItsOwnLevel) {
  const Walk walk = walked(kOdd);
  EXPECT_EQ(walk.members, members_by_reader(kOdd));
  EXPECT_EQ(walk.members.size(), 12U);
  EXPECT_EQ(walk.bytes, kOdd);
  EXPECT_TRUE(walk.closed);
  EXPECT_TRUE(walked("{}").closed);
}

// Pieces are whatever the network made of the text.
TEST(TopLevel, TellsTheSameForEveryCut) {
  const Walk whole = walked(kOdd);
  for (std::size_t first = 0; first <= kOdd.size(); ++first)
    for (std::size_t more = 0; more <= 20; ++more)
      ASSERT_EQ(walked(kOdd, first, first + more, kOdd.size()), whole) << first << ' ' << more;
  for (const std::size_t size : {1UZ, 2UZ, 3UZ, 7UZ, 8UZ, 9UZ})
    EXPECT_EQ(walked(kOdd, 0, 0, size), whole) << size;
}

// Eight bytes are searched at once: what matters is found at each place among them, behind bytes
// that differ from it by one or by the high bit.
TEST(TopLevel, FindsWhatMattersAtEveryPlace) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (const char byte : {'z', '!', '#', '^', '|', '~', '\xA2', '\xDB', '\xDC', '\x01'}) {
      const std::string run(before, byte);
      const std::string space(before, ' ');
      const std::string escaped = fmt::format(R"("{0}\"{0}\\")", run);
      const std::string text =
          fmt::format(R"({{"k":{0},"n":[{1},[{2}{0}{2}],{3}{{{1}}}{3}],"e":0}})", escaped,
                      std::string(before, '1'), space, std::string(before, '|'));
      const Walk walk = walked(text);
      ASSERT_EQ(walk.members.size(), 3U) << text;
      EXPECT_EQ(walk.members[0].second, escaped);
      EXPECT_EQ(walk.members[2], std::pair(std::string("\"e\""), std::string("0")));
      EXPECT_TRUE(walk.closed);
    }
  }
}

// No member is told of what is no object, nor behind the place where it stops being one.
TEST(TopLevel, TellsNothingOfWhatIsNoObject) {
  for (const std::string_view text :
       {"", " ", "null", "5", "\"{\\\"a\\\":1}\"", "[{\"a\":1}]", "<html>{\"a\":1}</html>",
        "\xEF\xBB\xBF{\"a\":1}", "\x1F\x8B\x08{\"a\":1}", "{a:1}", "{,\"a\":1}", "{{\"a\":1}}",
        "{} {\"a\":1}", "}{\"a\":1}"}) {
    for (const std::size_t size : {1UZ, 100UZ}) {
      const Walk walk = walked(text, 0, 0, size);
      EXPECT_TRUE(walk.members.empty()) << text;
      EXPECT_EQ(walk.bytes, text);
    }
  }
  for (const std::string_view rest :
       {"\"b\":2}", ":1,\"b\":2}", ";\"b\":2}", ",,\"b\":2}", ",b,\"b\":2}", "],\"b\":2}",
        "\"\",\"b\":2}", "[],\"b\":2}", "} ,\"b\":2}", "\\,\"b\":2}", "_,\"b\":2}"}) {
    const std::string text = "{\"a\":1" + std::string(rest);
    const Walk walk = walked(text);
    EXPECT_EQ(walk.members, (Members{{"\"a\"", "1"}})) << text;
    EXPECT_EQ(walk.bytes, text);
  }
  for (const std::string_view text : {"{\"a\" 1,\"b\":2}", "{\"a\":,\"b\":2}", "{\"a\":},\"b\":2}",
                                      "{\"a\",\"b\":2}", "{\"a\":'x',\"b\":2}"})
    EXPECT_EQ(walked(text).members, (Members{{"\"a\"", ""}})) << text;
}

// A body cut short ends within whatever it was in; nothing is told to be complete that is not.
TEST(TopLevel, IsNotClosedBeforeTheEnd) {
  const Walk whole = walked(kOdd);
  for (std::size_t cut = 0; cut + 2 < kOdd.size(); ++cut) {
    const Walk walk = walked(kOdd.substr(0, cut));
    ASSERT_FALSE(walk.closed) << cut;
    ASSERT_EQ(walk.bytes, kOdd.substr(0, cut));
    for (std::size_t i = 0; i < walk.members.size(); ++i) {
      ASSERT_EQ(walk.members[i].first, whole.members[i].first);
      if (!walk.members[i].second.empty())
        ASSERT_EQ(walk.members[i].second, whole.members[i].second);
    }
  }
}

// Depth is only counted: no limit, no stack.
TEST(TopLevel, WalksAnyDepth) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const Walk walk = walked("{\"a\":" + deep + ",\"b\":1}", 5, 50'000, 60'000);
  EXPECT_EQ(walk.members, (Members{{"\"a\"", deep}, {"\"b\"", "1"}}));
  EXPECT_TRUE(walk.closed);
}

}  // namespace
}  // namespace penstock::json
