#include "wire/header_list.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace penstock::wire {
namespace {

// Names have no case; values are kept as they are.
TEST(HeaderList, FindsByNameWhateverTheCase) {
  HeaderList list;
  list.add("Content-Type", "text/Plain");
  list.add("x-a", "1");
  list.add("X-A", "2");
  EXPECT_EQ(list.find("content-type"), "text/Plain");
  EXPECT_EQ(list.find("X-a"), "1");
  EXPECT_EQ(list.find("x-b"), std::nullopt);
  EXPECT_EQ(list.find(""), std::nullopt);
  EXPECT_EQ(list.count("x-A"), 2U);
  EXPECT_EQ(list.count("x-b"), 0U);
}

// The step from the inline array to the vector must lose nothing, in either direction.
TEST(HeaderList, KeepsOrderBeyondTheInlineFields) {
  std::vector<std::string> names;
  names.reserve(2 * HeaderList::kInlineFields);
  for (std::size_t i = 0; i < 2 * HeaderList::kInlineFields; ++i) {
    names.push_back("n" + std::to_string(i));
  }
  HeaderList list;
  for (int round = 0; round < 2; ++round) {
    list.clear();
    EXPECT_TRUE(list.empty());
    for (const std::string& name : names) {
      list.add(name, name);
      EXPECT_EQ(list[list.size() - 1].name, name);
      EXPECT_EQ(list[0].name, "n0");
    }
    std::size_t i = 0;
    for (const auto& [name, value] : list) EXPECT_EQ(name, names[i++]);
    EXPECT_EQ(i, names.size());
    const HeaderList copy = list;
    EXPECT_EQ(copy.find("N63"), "n63");
  }
  list.clear();
  list.add("a", "b");
  EXPECT_EQ(list.find("a"), "b");
  EXPECT_EQ(list.find("n40"), std::nullopt);
}

// No list may grow without end, whoever fills it.
TEST(HeaderListDeathTest, HasACeiling) {
  HeaderList list;
  for (std::size_t i = 0; i < HeaderList::kFieldsMax; ++i) list.add("a", "b");
  EXPECT_DEATH(list.add("a", "b"), "kFieldsMax");
}

// Only letters fold: '@' and '`', '[' and '{' differ by the same bit as 'A' and 'a'.
TEST(HeaderText, ComparesOnlyLettersWithoutCase) {
  EXPECT_TRUE(equals_ignore_case("Az-9", "aZ-9"));
  EXPECT_FALSE(equals_ignore_case("@", "`"));
  EXPECT_FALSE(equals_ignore_case("[", "{"));
  EXPECT_FALSE(equals_ignore_case("\xC3\xA9", "\xC3\x89"));
  EXPECT_FALSE(equals_ignore_case("a", "ab"));
  EXPECT_TRUE(equals_ignore_case("", ""));
}

TEST(HeaderText, TrimsSpacesAndTabsOnly) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim(" \t "), "");
  EXPECT_EQ(trim("\va\r"), "\va\r");
}

// RFC 9110 section 5.6.1: empty elements are legal and mean nothing.
TEST(HeaderText, WalksCommaLists) {
  std::string_view list = " , a ,,b\t,\tc d , ";
  EXPECT_EQ(next_element(list), "a");
  EXPECT_EQ(next_element(list), "b");
  EXPECT_EQ(next_element(list), "c d");
  EXPECT_EQ(next_element(list), std::nullopt);
  EXPECT_EQ(next_element(list), std::nullopt);
}

TEST(HeaderText, FindsWholeTokensInLists) {
  EXPECT_TRUE(list_contains_token("keep-alive, Close", "close"));
  EXPECT_FALSE(list_contains_token("keep-alive, closed", "close"));
  EXPECT_FALSE(list_contains_token("not close", "close"));
  EXPECT_FALSE(list_contains_token("", "close"));
}

}  // namespace
}  // namespace penstock::wire
