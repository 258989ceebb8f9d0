#include "gateway/routing.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "control/retry_plan.h"
#include "fleet/provider.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "net/connection_permits.h"
#include "tests/support/scope_rig.h"

namespace penstock::gateway {
namespace {

// What find_route() makes of a request for a model, with these header lines.
struct Routed {
  std::optional<Error> error;
  std::string model;           // the public name it found
  std::string explicit_model;  // the provider's own name, when the client named the provider
  std::size_t provider = 99;
  std::size_t places = 0;
};

class RoutingTest : public testing::Test {
 protected:
  Routed ask(std::string_view model, std::string_view fields = std::string_view()) {
    test::ScopeRig rig;
    for (const char* name : {"chat-default", "embed"}) {
      Model& made = rig.snapshot->models[name];
      made.name = name;
      made.targets.push_back({.provider = 0, .model = "up", .weight = 1});
      made.targets.push_back(
          {.provider = 1, .model = "back", .role = control::TargetRole::kFallback});
      rig.snapshot->model_names.emplace_back(name);
    }
    rig.snapshot->models["p/aliased"].name = "p/aliased";
    rig.snapshot->provider_index["p"] = 0;
    rig.snapshot->provider_index["q"] = 1;
    rig.snapshot->providers.resize(2);
    rig.snapshot->providers[0].name = "p";
    rig.snapshot->providers[1].name = "q";
    for (fleet::Provider& provider : rig.snapshot->providers)
      provider.permits = std::make_shared<net::ConnectionPermits>(1, 1);
    Routed got;
    const auto look = [&](RequestScope& scope) {
      scope.request.model = model;
      const Result<void> found = find_route(scope);
      if (!found) got.error = found.error();
      if (scope.route.model != nullptr) got.model = scope.route.model->name;
      if (!scope.route.only.empty()) {
        got.explicit_model = scope.route.only.front().model;
        got.provider = scope.route.only.front().provider;
        EXPECT_EQ(scope.route.targets().data(), scope.route.only.data());
      }
      got.places = scope.route.targets().size();
    };
    const std::string reply =
        rig.ask("GET / HTTP/1.1\r\nhost: a\r\n" + std::string(fields) + "\r\n", look);
    EXPECT_FALSE(reply.empty());
    return got;
  }
};

TEST_F(RoutingTest, PublicNameIsFound) {
  const Routed got = ask("chat-default");
  EXPECT_FALSE(got.error);
  EXPECT_EQ(got.model, "chat-default");
  EXPECT_EQ(got.places, 2U);
}

TEST_F(RoutingTest, ProviderAndModelIsAnExplicitRequest) {
  const Routed got = ask("q/meta/llama");
  EXPECT_FALSE(got.error);
  EXPECT_EQ(got.provider, 1U);
  EXPECT_EQ(got.explicit_model, "meta/llama");
}

// A configured name that looks like provider/model is the configured one.
TEST_F(RoutingTest, PublicNameComesFirst) { EXPECT_EQ(ask("p/aliased").model, "p/aliased"); }

// A provider that is only in the fallback chain may be asked for too; one that is in neither is not
// found, nor is one that contradicts `provider/model`.
TEST_F(RoutingTest, HeaderNamesTheOnlyProvider) {
  const Routed got = ask("chat-default", "X-Penstock-Provider: q\r\n");
  EXPECT_EQ(got.places, 1U);
  EXPECT_EQ(got.explicit_model, "back");
  for (const char* model : {"chat-default", "p/x"})
    EXPECT_EQ(ask(model, "X-Penstock-Provider: r\r\n").error->code, ErrorCode::kModelNotFound);
}

TEST_F(RoutingTest, SeveralHeadersAreNoChoice) {
  for (const char* second : {"q", "p", ""}) {
    const Routed got = ask("chat-default", std::string("x-penstock-provider: q\r\n") +
                                               "X-Penstock-Provider: " + second + "\r\n");
    ASSERT_TRUE(got.error) << second;
    EXPECT_EQ(got.error->code, ErrorCode::kInvalidRequest);
    EXPECT_EQ(got.error->param, "x-penstock-provider");
  }
}

TEST_F(RoutingTest, UnknownNamesAreNotFound) {
  for (const char* model : {"nope", "p/", "/x", "unknown/x", ""}) {
    const Routed got = ask(model);
    ASSERT_TRUE(got.error) << model;
    EXPECT_EQ(got.error->code, ErrorCode::kModelNotFound) << model;
    EXPECT_EQ(got.error->param, "model");
  }
}

TEST_F(RoutingTest, NearestNameIsHinted) {
  EXPECT_EQ(ask("chat-defalt").error->hint, "Did you mean \"chat-default\"?");
  EXPECT_EQ(ask("something-else-entirely").error->hint, "");
}

// A made-up name is shown only in part, and nothing is searched for it.
TEST_F(RoutingTest, LongNameIsCut) {
  const Routed got = ask(std::string(5000, 'x'));
  EXPECT_LT(got.error->message.size(), 200U);
  EXPECT_EQ(got.error->hint, "");
}

}  // namespace
}  // namespace penstock::gateway
