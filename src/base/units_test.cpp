#include "base/units.h"

#include <chrono>
#include <concepts>

#include <gtest/gtest.h>

namespace penstock {
namespace {

template <class Left, class Right>
concept Adds = requires(Left left, Right right) { left + right; };
template <class Left, class Right>
concept Compares = requires(Left left, Right right) { left < right; };

// The point of the types: quantities of different kinds do not mix, nor with bare numbers.
TEST(Units, QuantitiesDoNotMix) {
  static_assert(Adds<Bytes, Bytes>);
  static_assert(!Adds<Bytes, Tokens>);
  static_assert(!Adds<Tokens, NanoUsd>);
  static_assert(!Adds<Bytes, int>);
  static_assert(!Compares<Bytes, Tokens>);
  static_assert(!std::convertible_to<int, Bytes>);
}

// Within one unit arithmetic and order are those of the numbers.
TEST(Units, ArithmeticStaysInTheUnit) {
  Bytes bytes = 2_KiB + 1_B;
  bytes += 1_B;
  bytes -= 2_B;
  EXPECT_EQ(bytes, 2048_B);
  EXPECT_EQ(1_MiB - 1_B, Bytes{1'048'575});
  EXPECT_LT(1_MiB, 1_GiB);
  EXPECT_EQ(Tokens{}.value, 0U);
}

// A time point of ours is no time point of a clock that anybody could read directly.
TEST(Units, TimePointsBelongToOurClock) {
  static_assert(!std::convertible_to<std::chrono::steady_clock::time_point, TimePoint>);
  static_assert(std::same_as<Duration, std::chrono::nanoseconds>);
  EXPECT_EQ(TimePoint{} + 1s - TimePoint{}, 1'000'000'000ns);
}

}  // namespace
}  // namespace penstock
