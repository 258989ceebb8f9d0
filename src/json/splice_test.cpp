#include "json/splice.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace penstock::json {
namespace {

std::string joined(const Splice& splice) {
  std::string out;
  splice.append_to(out);
  return out;
}

std::vector<std::string_view> pieces(const Splice& splice) {
  Splice::Segments room;
  const auto listed = splice.segments(room);
  return {listed.begin(), listed.end()};
}

// The common case costs nothing: the source itself, one segment.
TEST(Splice, PassesAnUnchangedSource) {
  constexpr std::string_view kSource = "{\"a\":1}";
  const Splice splice(kSource);
  EXPECT_TRUE(splice.unchanged());
  ASSERT_EQ(pieces(splice).size(), 1U);
  EXPECT_EQ(pieces(splice)[0].data(), kSource.data());
  EXPECT_EQ(splice.size(), kSource.size());
  EXPECT_TRUE(pieces(Splice()).empty());
}

// Edits arrive in the order members were read, which need not be the order of the bytes.
TEST(Splice, AppliesEditsInAnyOrder) {
  Splice splice("0123456789");
  splice.add({.at = 8, .cut = 2, .put = "Z"});
  splice.add({.at = 0, .put = "A"});
  splice.add({.at = 4, .cut = 1});
  splice.add({.at = 5, .cut = 0, .put = "mid"});
  EXPECT_EQ(joined(splice), "A0123mid567Z");
  EXPECT_EQ(splice.size(), joined(splice).size());
  EXPECT_EQ(pieces(splice), (std::vector<std::string_view>{"A", "0123", "mid", "567", "Z"}));
}

TEST(Splice, ListsTheMostSegmentsThereCanBe) {
  Splice splice("0123456789");
  for (std::size_t i = 1; i <= Splice::kEditsMax; ++i) splice.add({.at = i, .put = "-"});
  EXPECT_EQ(pieces(splice).size(), Splice::kSegmentsMax);
  EXPECT_EQ(joined(splice), "0-1-2-3-4-5-6789");
}

TEST(Splice, ReplacesAWholeSource) {
  Splice splice("abc");
  splice.add({.at = 0, .cut = 3, .put = "x"});
  EXPECT_EQ(pieces(splice), std::vector<std::string_view>{"x"});
}

// A splice travels from the reader to the writer; short owned bytes must not move with it.
TEST(Splice, KeepsOwnedBytesWhenItMoves) {
  Splice first("\"model\"");
  first.add_owned(1, 5, "a\\\"b");
  const Splice second = std::move(first);
  const std::vector<Splice> held = [&] {
    std::vector<Splice> list;
    list.emplace_back("x");
    list.back().add_owned(0, 1, "y");
    list.emplace_back("z");
    list.emplace_back("z");
    return list;
  }();
  EXPECT_EQ(joined(second), "\"a\\\"b\"");
  EXPECT_EQ(joined(held[0]), "y");
}

// An edit beside the source or over another one would corrupt a body: our fault, never input's.
TEST(SpliceDeathTest, AssertsThatEditsFit) {
  EXPECT_DEATH(Splice("abc").add({.at = 4}), "");
  EXPECT_DEATH(Splice("abc").add({.at = 1, .cut = 3}), "");
  const auto overlap = [] {
    Splice splice("abcdef");
    splice.add({.at = 2, .cut = 2});
    splice.add({.at = 1, .cut = 2});
  };
  EXPECT_DEATH(overlap(), "");
  const auto too_many = [] {
    Splice splice("abcdef");
    for (std::size_t at = 0; at <= Splice::kEditsMax; ++at) splice.add({.at = at});
  };
  EXPECT_DEATH(too_many(), "");
}

}  // namespace
}  // namespace penstock::json
