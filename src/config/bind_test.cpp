#include "config/bind.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/describe.h"
#include "base/field.h"
#include "base/field_table.h"
#include "base/named.h"
#include "base/secret_ref.h"
#include "base/units.h"
#include "config/path.h"
#include "config/problem.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
constexpr auto enum_names(Describe<Colour>) {
  return std::array{EnumName<Colour>{"red", Colour::kRed},
                    EnumName<Colour>{"green", Colour::kGreen}};
}
constexpr auto later_names(Describe<Colour>) { return std::array<std::string_view, 1>{"blue"}; }

struct Leaf {
  std::string url;
  std::uint32_t weight = 1;
};
constexpr auto fields(Describe<Leaf>) {
  using C = Leaf;
  return std::tuple{
      field("url", &C::url, required(any()), Reload::kLive, "Where."),
      field("weight", &C::weight, range(1, 9), Reload::kLive, "How much."),
  };
}
constexpr std::string_view shorthand(Describe<Leaf>) { return "url"; }

// One member of each type that a table may have.
struct Sample {
  bool flag = false;
  std::uint32_t count = 5;
  std::uint64_t big = 1;
  Duration wait = 2s;
  Bytes size = 1_KiB;
  Ratio share{100'000};
  PerTime rate;
  std::optional<WallTime> until;
  Colour colour = Colour::kRed;
  std::string text;
  SecretRef key;
  std::optional<std::uint32_t> workers;
  std::optional<Duration> slow_call = 20s;
  std::optional<Leaf> one;
  std::vector<Leaf> leaves;
  std::vector<std::string> words;
  Named<Leaf> named;
};
constexpr auto fields(Describe<Sample>) {
  using C = Sample;
  return std::tuple{
      field("flag", &C::flag, any(), Reload::kLive, "."),
      field("count", &C::count, range(1, 10), Reload::kLive, "."),
      field("big", &C::big, range(0, INT64_MAX), Reload::kLive, "."),
      field("wait", &C::wait, range(1ms, 10s), Reload::kLive, "."),
      field("size", &C::size, range(1_B, 1_MiB), Reload::kLive, "."),
      field("share", &C::share, range(Ratio{10'000}, Ratio{1'000'000}), Reload::kLive, "."),
      field("rate", &C::rate, range(PerTime{1, Per::kMinute}, PerTime{1000, Per::kSecond}),
            Reload::kLive, "."),
      field("until", &C::until, any(), Reload::kLive, "."),
      field("colour", &C::colour, any(), Reload::kLive, "."),
      field("text", &C::text, any(), Reload::kLive, "."),
      field("key", &C::key, any(), Reload::kLive, "."),
      field("slow_call", &C::slow_call, or_word("off", range(1ms, 1h)), Reload::kLive, "."),
      field("workers", &C::workers, or_word("auto", range(1, 256)), Reload::kLive, "."),
      field("one", &C::one, any(), Reload::kLive, "."),
      field("leaves", &C::leaves, any(), Reload::kLive, "."),
      field("words", &C::words, any(), Reload::kLive, "."),
      field("named", &C::named, any(), Reload::kLive, "."),
  };
}
constexpr auto later_keys(Describe<Sample>) { return std::array<std::string_view, 1>{"retry"}; }

struct Got {
  Sample value;
  Origins origins;
  std::vector<Problem> problems;
};

Got bound(const std::string& yaml) {
  Got got;
  const Tree tree = parse_yaml(yaml);
  got.problems = tree.problems;
  bind_tree(tree.root, type_of<Sample>(), &got.value, "/etc/penstock", got.origins, got.problems);
  return got;
}

// The one problem of a file, as one line.
std::string fault(const std::string& yaml) {
  const Got got = bound(yaml);
  EXPECT_EQ(got.problems.size(), 1U) << yaml;
  return got.problems.empty() ? "" : render(got.problems.front(), "f");
}

TEST(Bind, ReadsEachType) {
  const Got got = bound(
      "flag: true\ncount: 7\nbig: 9223372036854775807\nwait: 50ms\nsize: 2KiB\nshare: 2.5%\nrate: "
      "3k/min\n"
      "until: 2027-06-30T00:00:00Z\ncolour: green\ntext: 123\nkey: env:NAME\nworkers: 3\n"
      "one: {url: x}\nleaves: [ http://a, {url: b, weight: 2} ]\nwords: [a, \"b\"]\n"
      "named: {z: {url: q}, a: http://w}\n");
  EXPECT_TRUE(got.problems.empty());
  EXPECT_TRUE(got.value.flag);
  EXPECT_EQ(got.value.count, 7U);
  EXPECT_EQ(got.value.big, 9223372036854775807U);
  EXPECT_EQ(got.value.wait, 50ms);
  EXPECT_EQ(got.value.size, 2_KiB);
  EXPECT_EQ(got.value.share, Ratio{25'000});
  EXPECT_EQ(got.value.rate, (PerTime{3000, Per::kMinute}));
  EXPECT_TRUE(got.value.until.has_value());
  EXPECT_EQ(got.value.colour, Colour::kGreen);
  EXPECT_EQ(got.value.text, "123");
  EXPECT_EQ(got.value.key, (SecretRef{"env:NAME", "/etc/penstock"}));
  EXPECT_EQ(got.value.workers, 3U);
  EXPECT_EQ(got.value.one->url, "x");
  ASSERT_EQ(got.value.leaves.size(), 2U);
  EXPECT_EQ(got.value.leaves[0].url, "http://a");
  EXPECT_EQ(got.value.leaves[1].weight, 2U);
  EXPECT_EQ(got.value.words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got.value.named.begin()->name, "z");  // the order of the file
  EXPECT_EQ(got.value.named.find("a")->url, "http://w");
}

TEST(Bind, KeepsDefaultsAndKnowsOrigins) {
  const Got got = bound("count: 7\nnamed:\n  gpt-5.1:\n    url: x\n");
  EXPECT_EQ(got.value.wait, 2s);
  EXPECT_EQ(got.origins.find("wait"), nullptr);
  ASSERT_NE(got.origins.find("count"), nullptr);
  EXPECT_EQ(got.origins.find("count")->value, (Mark{1, 8}));
  ASSERT_NE(got.origins.find("named.\"gpt-5.1\".url"), nullptr);
  EXPECT_EQ(got.origins.nearest("named.\"gpt-5.1\".weight"), (Mark{4, 5}));
}

TEST(Bind, AutoMeansNoValue) {
  EXPECT_EQ(bound("workers: auto\n").value.workers, std::nullopt);
  EXPECT_EQ(bound("slow_call: off\n").value.slow_call, std::nullopt);
  EXPECT_EQ(bound("").value.slow_call, 20s);
  EXPECT_EQ(bound("workers: 256\n").value.workers, 256U);
  EXPECT_FALSE(bound("workers: 257\n").problems.empty());
  EXPECT_FALSE(bound("workers: none\n").problems.empty());
}

// JSON has no other way to write a duration; a number in quotes is a slip.
TEST(Bind, QuotesMatterForNumbersOnly) {
  EXPECT_TRUE(
      bound("{\"wait\": \"1s\", \"size\": \"2KiB\", \"colour\": \"red\"}").problems.empty());
  EXPECT_FALSE(bound("{\"count\": \"5\"}").problems.empty());
  EXPECT_FALSE(bound("{\"flag\": \"true\"}").problems.empty());
}

// YAML 1.1 read these as booleans.
TEST(Bind, TakesOnlyTrueAndFalse) {
  for (const char* word : {"yes", "no", "on", "off", "y", "True", "TRUE", "1", "~"})
    EXPECT_EQ(bound(std::string("flag: ") + word + "\n").problems.size(), 1U) << word;
}

TEST(Bind, RangesIncludeTheirEnds) {
  EXPECT_TRUE(bound("count: 1\nwait: 1ms\nsize: 1B\nshare: 1%\n").problems.empty());
  EXPECT_TRUE(bound("count: 10\nwait: 10s\nsize: 1MiB\nshare: 100%\n").problems.empty());
  EXPECT_EQ(bound("count: 0\nwait: 999us\nsize: 0B\nshare: 0.9%\n").problems.size(), 4U);
  EXPECT_EQ(bound("count: 11\nwait: 10001ms\nsize: 2MiB\nshare: 101%\n").problems.size(), 4U);
}

TEST(Bind, NamesTheKeyThePlaceAndAGoodValue) {
  EXPECT_EQ(fault("count: lots\n"), "f:1:8: count: \"lots\" is not a whole number — such as 5");
  EXPECT_EQ(fault("wait: 60\n"), "f:1:7: wait: \"60\" has no unit — such as 2s");
  EXPECT_EQ(fault("count: 11\n"), "f:1:8: count: 11 is out of range — 1 to 10");
  EXPECT_EQ(fault("rate: 60\n"), "f:1:7: rate: \"60\" has no unit — such as 100/s");
  EXPECT_EQ(fault("rate: 1/h\n"), "f:1:7: rate: 1/h is out of range — 1/min to 1k/s");
  EXPECT_EQ(fault("cuont: 1\n"), "f:1:1: unknown key \"cuont\" — did you mean \"count\"?");
  EXPECT_EQ(fault("retry: {}\n"), "f:1:1: \"retry\" is not in this version");
  EXPECT_EQ(fault("colour: gren\n"),
            "f:1:9: colour: unknown word \"gren\" — did you mean \"green\"?");
  EXPECT_EQ(fault("colour: blue\n"),
            "f:1:9: colour: \"blue\" is not in this version — this version has red, green");
  EXPECT_EQ(fault("leaves: [ {weight: 1} ]\n"), "f:1:11: leaves[0].url: is missing");
  EXPECT_EQ(fault("count:\n"), "f:1:1: count: has no value");
}

TEST(Bind, TellsWrongShapes) {
  for (const char* yaml :
       {"count: [1]\n", "count: {a: 1}\n", "leaves: x\n", "leaves: {a: 1}\n", "named: [a]\n",
        "named: x\n", "one: [a]\n", "leaves: [[a]]\n", "text: {}\n", "- a\n", "just a text\n"})
    EXPECT_EQ(bound(yaml).problems.size(), 1U) << yaml;
}

// Everything at once, so that a file is mended in one go.
TEST(Bind, CollectsAllProblems) {
  EXPECT_EQ(bound("count: x\ncount: 1\nnope: 1\nleaves: [ {}, {url: a, weight: 0} ]\nretry: 1\n")
                .problems.size(),
            6U);
}

// Somebody may have put the secret itself there.
TEST(Bind, NeverRepeatsWhatStandsInPlaceOfASecret) {
  for (const char* text : {"sk-4711", "env:", "env:sk-4711", "file:", "env:4711", "ENV:sk_4711"}) {
    const std::string said = fault(std::string("key: \"") + text + "\"\n");
    EXPECT_EQ(said.find("4711"), std::string::npos) << said;
    EXPECT_NE(said.find("env:NAME"), std::string::npos) << said;
  }
  EXPECT_TRUE(bound("key: file:keys/a.txt\n").problems.empty());
}

}  // namespace
}  // namespace penstock::config
