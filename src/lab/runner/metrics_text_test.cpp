#include "lab/runner/metrics_text.h"

#include <gtest/gtest.h>

namespace penstock::lab {
namespace {

// Names match whole, labels by what they contain; several series add up.
TEST(MetricsText, AddsTheSeriesThatAreMeant) {
  const MetricsText text(
      "# HELP a_total Something\n"
      "# TYPE a_total counter\n"
      "a_total{provider=\"stable\",outcome=\"ok\"} 3\n"
      "a_total{provider=\"canary\",outcome=\"ok\"} 4\n"
      "a_total{outcome=\"fault\",provider=\"stable\"} 0.5\n"
      "a_total_more{provider=\"stable\"} 100\n"
      "c{replica=\"http://127.0.0.1:80801\"} 1\n"
      "c{replica=\"http://127.0.0.1:8080\"} 2\n"
      "b 7\n");
  EXPECT_EQ(text.sum("c", {{"replica", "127.0.0.1:8080"}}), 2);
  EXPECT_EQ(text.sum("a_total"), 7.5);
  EXPECT_EQ(text.sum("a_total", {{"provider", "stable"}}), 3.5);
  EXPECT_EQ(text.sum("a_total", {{"provider", "stable"}, {"outcome", "ok"}}), 3);
  EXPECT_EQ(text.sum("b"), 7);
  EXPECT_EQ(text.count("a_total"), 3U);
  EXPECT_EQ(text.count("a_total", {{"replica", ":80"}}), 0U);
}

}  // namespace
}  // namespace penstock::lab
