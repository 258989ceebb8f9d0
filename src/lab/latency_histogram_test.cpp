#include "lab/latency_histogram.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "lab/mix.h"

namespace penstock::lab {
namespace {

// Against the sorted list itself: never below the true value, at most 1/128 above it.
TEST(LatencyHistogram, AgreesWithASortedList) {
  LatencyHistogram histogram;
  std::vector<Duration> all;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t drawn = mix(i);
    all.emplace_back(static_cast<Duration::rep>((drawn >> 8) >> (8 + drawn % 48)));
  }
  for (const Duration took : all) histogram.add(took);
  std::ranges::sort(all);
  for (const std::uint32_t per_mille : {1U, 10U, 500U, 950U, 990U, 999U, 1000U}) {
    const std::size_t rank = (all.size() * per_mille + 999) / 1000;
    const auto truth = std::min<Duration::rep>(all[rank - 1].count(), (1LL << 44) - 1);
    const Duration::rep got = histogram.percentile(per_mille).count();
    EXPECT_GE(got, truth) << per_mille;
    EXPECT_LE(got, truth + truth / 128 + 1) << per_mille;
  }
}

// The corners: nothing, zero, negative, and beyond the largest.
TEST(LatencyHistogram, KeepsItsCorners) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.percentile(500), Duration::zero());
  histogram.add(Duration(-5));
  histogram.add(Duration::zero());
  EXPECT_EQ(histogram.percentile(1000), Duration::zero());
  histogram.add(Duration::max());
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.percentile(1000).count(), (1LL << 44) - 1);
}

// Two threads' histograms add up to one.
TEST(LatencyHistogram, AddsUp) {
  LatencyHistogram one;
  LatencyHistogram two;
  one.add(1ms);
  two.add(3ms);
  one.add(two);
  EXPECT_EQ(one.count(), 2U);
  EXPECT_EQ(one.max(), 3ms);
  EXPECT_NEAR(static_cast<double>(one.percentile(500).count()), 1e6, 1e4);
}

}  // namespace
}  // namespace penstock::lab
