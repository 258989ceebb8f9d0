#include "llm/usage.h"

#include <gtest/gtest.h>

namespace penstock::llm {
namespace {

// Engines repeat running totals, and a later chunk may leave out what an earlier one told.
TEST(Usage, KeepsTheLastValueToldOfEach) {
  Usage usage;
  EXPECT_FALSE(usage.told());
  update(usage, Usage{.input = 7, .output = 1});
  update(usage, Usage{.input_cached = 0, .output = 3});
  EXPECT_EQ(usage, (Usage{.input = 7, .input_cached = 0, .output = 3}));
  EXPECT_TRUE(usage.told());
}

}  // namespace
}  // namespace penstock::llm
