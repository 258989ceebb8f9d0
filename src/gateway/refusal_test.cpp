
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "dialect/surface.h"
#include "gateway/request_scope.h"
#include "tests/support/scope_rig.h"
#include "tests/support/scripted_rng.h"

namespace penstock::gateway {
namespace {

constexpr std::string_view kAsk = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n\r\n";

// The reply to a request that was refused so, after so many attempts.
std::string refused(Error error, std::uint32_t attempts = 0,
                    std::vector<std::uint64_t> draws = {test::draw(500, 1000)}) {
  test::ScopeRig rig(std::move(draws));
  return rig.ask(kAsk, [&](RequestScope& scope) { scope.attempts = attempts; }, std::move(error));
}

// The value of a header field as it stands in the head; nullopt: it is not there.
std::optional<std::string> field(const std::string& reply, std::string_view name) {
  const std::size_t at = reply.find("\r\n" + std::string(name) + ": ");
  if (at == std::string::npos || at > reply.find("\r\n\r\n")) return {};
  const std::size_t from = at + name.size() + 4;
  return reply.substr(from, reply.find("\r\n", from) - from);
}

// The whole table: each code comes out with its status, its word and the fields of every refusal.
TEST(Refusal, EveryCodeHasItsStatusAndWord) {
  for (const ErrorInfo& row : error_table()) {
    const std::string reply = refused(Error(row.code));
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 " + std::to_string(row.status) + " ")) << reply;
    EXPECT_NE(reply.find("\"code\":\"" + std::string(row.name) + "\""), std::string::npos) << reply;
    EXPECT_TRUE(field(reply, "x-should-retry")) << row.name;
    EXPECT_EQ(field(reply, "content-type"), "application/json");
    EXPECT_EQ(field(reply, "x-request-id"), "a000000000000000b000000000000000");
  }
}

TEST(Refusal, MoreExactStatusWins) {
  Error error(ErrorCode::kInvalidRequest);
  error.status = 505;
  EXPECT_TRUE(refused(error).starts_with("HTTP/1.1 505 "));
}

// Those refused together must not return together: uniform in 1–2 s.
TEST(Refusal, OverloadIsToldToComeBackWithinOneToTwoSeconds) {
  const std::string soonest = refused(Error(ErrorCode::kOverloaded), 0, {test::draw(0, 1000)});
  EXPECT_EQ(field(soonest, "retry-after-ms"), "1000");
  EXPECT_EQ(field(soonest, "retry-after"), "1");
  const std::string latest = refused(Error(ErrorCode::kOverloaded), 0, {test::draw(999, 1000)});
  EXPECT_EQ(field(latest, "retry-after-ms"), "1999");
  EXPECT_EQ(field(latest, "retry-after"), "2");
  EXPECT_EQ(field(latest, "x-should-retry"), "true");
}

TEST(Refusal, DrainingIsToldToComeBackInASecond) {
  const std::string reply = refused(Error(ErrorCode::kDraining), 0, {});
  EXPECT_EQ(field(reply, "retry-after-ms"), "1000");
  EXPECT_EQ(field(reply, "x-should-retry"), "true");
}

// Rounded up, so that nobody comes back too soon.
TEST(Refusal, TimeThatIsGivenIsKept) {
  Error error(ErrorCode::kRateLimitExceeded);
  error.retry_after = 1200ms + 1us;
  const std::string reply = refused(error, 0, {});
  EXPECT_EQ(field(reply, "retry-after"), "2");
  EXPECT_EQ(field(reply, "retry-after-ms"), "1201");
}

TEST(Refusal, OthersPromiseNoTime) {
  const std::string reply = refused(Error(ErrorCode::kInvalidJson), 0, {});
  EXPECT_FALSE(field(reply, "retry-after"));
  EXPECT_FALSE(field(reply, "retry-after-ms"));
  EXPECT_EQ(field(reply, "x-should-retry"), "false");
}

// After an attempt the gateway is the layer that retries, whatever the code.
TEST(Refusal, NothingIsToBeRetriedAfterAnAttempt) {
  for (const ErrorCode code : {ErrorCode::kOverloaded, ErrorCode::kDraining, ErrorCode::kInternal})
    EXPECT_EQ(field(refused(Error(code), 1), "x-should-retry"), "false");
}

TEST(Refusal, UpstreamOverloadIsRetriedWhenItsTimeIsTold) {
  Error error(ErrorCode::kUpstreamRateLimited);
  EXPECT_EQ(field(refused(error, 1, {}), "x-should-retry"), "false");
  error.retry_after = 3s;
  EXPECT_EQ(field(refused(error, 1, {}), "x-should-retry"), "true");
}

TEST(Refusal, WrongMethodNamesTheRightOne) {
  test::ScopeRig rig;
  const auto at = [](dialect::Surface surface) {
    return [surface](RequestScope& scope) { scope.surface = surface; };
  };
  const std::string chat =
      rig.ask(kAsk, at(dialect::Surface::kChat), Error(ErrorCode::kMethodNotAllowed));
  EXPECT_EQ(field(chat, "allow"), "POST");
  test::ScopeRig other;
  const std::string models =
      other.ask(kAsk, at(dialect::Surface::kModels), Error(ErrorCode::kMethodNotAllowed));
  EXPECT_EQ(field(models, "allow"), "GET");
}

// What only operators may read never reaches a client.
TEST(Refusal, DetailStaysInside) {
  Error error(ErrorCode::kUpstreamUnavailable);
  error.detail = "10.1.2.3 refused";
  EXPECT_EQ(refused(error, 1, {}).find("10.1.2.3"), std::string::npos);
}

}  // namespace
}  // namespace penstock::gateway
