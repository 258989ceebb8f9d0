#include "admin/routes.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace penstock::admin {
namespace {

TEST(Routes, LeadFromMethodAndPathToARow) {
  const Found found = find_route("POST", "/admin/v1/providers/stable-1.x/drain");
  ASSERT_NE(found.route, nullptr);
  EXPECT_EQ(found.route->path, "/admin/v1/providers/{}/drain");
  EXPECT_EQ(found.argument, "stable-1.x");
  EXPECT_NE(find_route("HEAD", "/metrics").route, nullptr);
  EXPECT_EQ(find_route("GET", "/metrics").argument, "");
}

TEST(Routes, KnowTheMethodsOfAPath) {
  const Found config = find_route("DELETE", "/admin/v1/config");
  EXPECT_EQ(config.route, nullptr);
  EXPECT_EQ(config.allowed, "GET, HEAD, PATCH");
  EXPECT_EQ(find_route("GET", "/admin/v1/providers/p/reset").allowed, "POST");
}

TEST(Routes, LeadNowhereElse) {
  for (const std::string_view path :
       {"/", "", "/admin/v1", "/admin/v1/providers/", "/admin/v1/providers//drain",
        "/admin/v1/providers/a/b/drain", "/admin/v1/providers/drain", "/admin/v1/config/"})
    EXPECT_TRUE(find_route("GET", path).allowed.empty()) << path;
  EXPECT_EQ(nearest_path("/admin/v1/provider"), "/admin/v1/providers");
  EXPECT_EQ(nearest_path("/quite/another/thing"), "");
  EXPECT_EQ(nearest_path("/admin/v1/drai"), "") << "an order is not a guess";
}

// Two rows for one method and path could only be a slip.
TEST(Routes, AreEachTheirOwn) {
  std::set<std::string> seen;
  for (const Route& route : routes())
    EXPECT_TRUE(seen.insert(std::string(route.method) + " " + std::string(route.path)).second)
        << route.path;
}

}  // namespace
}  // namespace penstock::admin
