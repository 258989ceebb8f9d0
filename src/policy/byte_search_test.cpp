#include "policy/byte_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "policy/window.h"
#include "tests/support/seeded_rng.h"

namespace penstock::policy {
namespace {

template <class IsOne>
std::size_t plainly(std::string_view text, std::size_t from, IsOne is_one) {
  return static_cast<std::size_t>(
      std::find_if(text.begin() + static_cast<std::ptrdiff_t>(from), text.end(), is_one) -
      text.begin());
}

// Blocks of any length, before and behind every hit, find what a look at each byte finds.
TEST(ByteSearchTest, FindsWhatALookAtEveryByteFinds) {
  const std::uint64_t seed = penstock::test::seed_of_test(21);
  SCOPED_TRACE(penstock::test::rerun_with(seed));
  penstock::test::SeededRng rng(seed);
  const auto digit = [](char byte) { return is_digit(static_cast<unsigned char>(byte)); };
  const auto among = [](std::string_view bytes) {
    return [bytes](char byte) { return bytes.find(byte) != std::string_view::npos; };
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text(rng.below(200), 'x');
    for (std::uint64_t hits = rng.below(5); hits > 0 && !text.empty(); --hits)
      text[rng.below(text.size())] = static_cast<char>(static_cast<unsigned char>(rng.below(256)));
    constexpr std::string_view kEdges = "/0123456789:+(-_A.@";
    for (std::uint64_t hits = rng.below(3); hits > 0 && !text.empty(); --hits)
      text[rng.below(text.size())] = kEdges[rng.below(kEdges.size())];
    for (std::size_t from = 0; from <= text.size(); ++from) {
      ASSERT_EQ(find_byte(text, '@', from), plainly(text, from, among("@")));
      ASSERT_EQ(find_digit(text, from), plainly(text, from, digit)) << text << from;
      ASSERT_EQ(find_digit_or(text, '+', '(', from), plainly(text, from, among("0123456789+(")))
          << text << from;
      ASSERT_EQ(find_one_of(text, "-_A.", from), plainly(text, from, among("-_A.")))
          << text << from;
    }
  }
}

}  // namespace
}  // namespace penstock::policy
