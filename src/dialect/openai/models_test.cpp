#include "dialect/openai/models.h"

#include <array>

#include <gtest/gtest.h>

namespace penstock::dialect::openai {
namespace {

TEST(Models, AreListedInTheirOrder) {
  constexpr std::array kRows{ModelRow{.id = "chat", .created = 1700000000},
                             ModelRow{.id = "a\"b", .created = 5, .owned_by = "x"}};
  EXPECT_EQ(
      models_body(kRows),
      "{\"object\":\"list\",\"data\":["
      "{\"id\":\"chat\",\"object\":\"model\",\"created\":1700000000,\"owned_by\":\"penstock\"},"
      "{\"id\":\"a\\\"b\",\"object\":\"model\",\"created\":5,\"owned_by\":\"x\"}]}");
  EXPECT_EQ(models_body({}), "{\"object\":\"list\",\"data\":[]}");
  EXPECT_EQ(
      model_body(kRows[0]),
      "{\"id\":\"chat\",\"object\":\"model\",\"created\":1700000000,\"owned_by\":\"penstock\"}");
}

}  // namespace
}  // namespace penstock::dialect::openai
