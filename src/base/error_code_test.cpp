#include "base/error_code.h"

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace penstock {
namespace {

// A code without a row, or a word used twice, would reach a client as nonsense.
TEST(ErrorCode, EveryValueHasItsOwnRow) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const ErrorInfo& row : error_table()) {
    EXPECT_EQ(std::to_underlying(row.code), index++);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GE(row.status, 400) << row.name;
    EXPECT_LE(row.status, 599) << row.name;
    EXPECT_FALSE(row.message.empty()) << row.name;
    EXPECT_FALSE(row.type.empty()) << row.name;
    EXPECT_EQ(&info(row.code), &row);
  }
  EXPECT_EQ(index, kErrorCodeCount);
}

// An attempt was made: this layer has retried, so the client must not.
TEST(ErrorCode, UpstreamFailuresAreNotRetriedByClients) {
  for (const ErrorInfo& row : error_table())
    if (row.source == ErrorSource::kUpstream) EXPECT_NE(row.retry, ShouldRetry::kYes) << row.name;
}

}  // namespace
}  // namespace penstock
