#include "dialect/openai/models.h"

#include <array>
#include <string_view>

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

// A provider is what it lists, wherever that stands in the list.
TEST(Models, AreFoundInAProvidersList) {
  EXPECT_TRUE(
      lists_model(R"({"object":"list","data":[{"id":"a"},{"object":"model","id":"b"}]})", "b"));
  EXPECT_TRUE(lists_model(R"({"data":[{"id":"org\/b"}],"x":{"data":[]}})", "org/b"));
  for (const std::string_view body :
       {R"({"data":[{"id":"a"}]})", R"({"data":[{"name":"b"}]})", R"({"id":"b"})",
        R"([{"id":"b"}])", R"({"data":[{"x":{"id":"b"}}]})", R"({"data":{"id":"b"}})",
        R"({"data":["b"]})", R"({"data":[{"id":"b"}])", R"({"data":[{"id":"b"}]} x)",
        "<html>b</html>", ""})
    EXPECT_FALSE(lists_model(body, "b")) << body;
}

}  // namespace
}  // namespace penstock::dialect::openai
