#include "gateway/provider_reply.h"

#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "base/byte_budget.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/units.h"
#include "control/outcome.h"
#include "gateway/request_scope.h"
#include "gateway/snapshot.h"
#include "tests/support/scope_rig.h"
#include "wire/response_head.h"

namespace penstock::gateway {
namespace {

using RetryAfter = control::Facts::RetryAfter;

constexpr std::string_view kAsk = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

struct Noted {
  RetryAfter retry_after = RetryAfter::kAbsent;
  std::optional<Duration> wait;
};

Noted note(int status, std::string_view name, std::string_view value) {
  test::ScopeRig rig;
  Noted noted;
  rig.ask(kAsk, [&](RequestScope& scope) {
    wire::ResponseHead head;
    head.status = status;
    if (!name.empty()) head.headers.add(name, value);
    note_reply_head(scope, head);
    EXPECT_EQ(scope.said.status, status);
    noted = {scope.said.retry_after, scope.said.wait};
  });
  return noted;
}

TEST(ProviderReply, ReadsRetryAfterAsALength) {
  EXPECT_EQ(note(429, "retry-after", "2").wait, 2s);
  EXPECT_EQ(note(503, "retry-after", "0.25").wait, 250ms);
  EXPECT_EQ(note(529, "retry-after", "0").wait, 0s);
  EXPECT_EQ(note(429, "retry-after", "999999999999").wait, 24h);
  EXPECT_EQ(note(429, "retry-after", "").retry_after, RetryAfter::kGiven);
  EXPECT_EQ(note(503, "retry-after-ms", "300").wait, 300ms) << "alone";
  EXPECT_EQ(note(503, "retry-after-ms", "300").retry_after, RetryAfter::kGiven);
}

// A date says that there is a time, and not how long it is from now; nonsense says the same.
TEST(ProviderReply, DateIsGivenWithoutALength) {
  for (const std::string_view value :
       {"Wed, 21 Oct 2015 07:28:00 GMT", "-1", "1e3", "nan", "inf"}) {
    const Noted noted = note(429, "retry-after", value);
    EXPECT_EQ(noted.retry_after, RetryAfter::kGiven) << value;
    EXPECT_EQ(noted.wait, std::nullopt) << value;
  }
}

// Only answers that tell of load are asked for it.
TEST(ProviderReply, OtherAnswersHaveNone) {
  EXPECT_EQ(note(500, "retry-after", "2").retry_after, RetryAfter::kAbsent);
  EXPECT_EQ(note(200, "retry-after", "2").retry_after, RetryAfter::kAbsent);
  EXPECT_EQ(note(429, "", "").retry_after, RetryAfter::kAbsent);
}

// The code and the word by which the plan tells failures apart.
TEST(ProviderReply, HeldErrorKeepsBodyAndReadsItsWords) {
  enum class Name { kOurs, kTheClients };
  struct Case {
    int status;
    std::string_view body;
    ErrorCode code;
    control::ProviderWord word;
    Name name = Name::kOurs;
  };
  const Case cases[] = {
      {429, "{}", ErrorCode::kUpstreamRateLimited, control::ProviderWord::kNone},
      {503, "{}", ErrorCode::kUpstreamOverloaded, control::ProviderWord::kNone},
      {529, "{}", ErrorCode::kUpstreamOverloaded, control::ProviderWord::kNone},
      {500, "<html>", ErrorCode::kUpstreamError, control::ProviderWord::kNone},
      {400, R"({"error":{"code":"context_length_exceeded"}})", ErrorCode::kUpstreamError,
       control::ProviderWord::kContextLength},
      {404, R"({"error":{"code":"model_not_found"}})", ErrorCode::kUpstreamError,
       control::ProviderWord::kModelNotFound},
      {404, R"({"error":{"code":"model_not_found"}})", ErrorCode::kUpstreamError,
       control::ProviderWord::kNone, Name::kTheClients},
      {400, R"({"error":{"code":"model_not_found"}})", ErrorCode::kUpstreamError,
       control::ProviderWord::kNone},
  };
  for (const Case& one : cases) {
    test::ScopeRig rig;
    rig.ask(kAsk, [&](RequestScope& scope) {
      const Model model;
      scope.route.model = one.name == Name::kOurs ? &model : nullptr;
      wire::ResponseHead head;
      head.status = one.status;
      note_reply_head(scope, head);
      const Error error = hold_error(scope, head, one.body);
      EXPECT_EQ(error.code, one.code) << one.status;
      EXPECT_EQ(scope.said.word, one.word) << one.body;
      ASSERT_TRUE(scope.said.error);
      EXPECT_EQ(scope.said.error->body, one.body);
      scope.said.error.reset();
      scope.route.model = nullptr;
    });
  }
}

// What waits for the next attempt is charged like a request's body, and given back with it. Without
// room it is our own shortage, whatever the provider said: no fault of the replica.
TEST(ProviderReply, HeldErrorIsChargedAndOursWhenMemoryIsFull) {
  test::ScopeRig rig;
  rig.ask(kAsk, [&](RequestScope& scope) {
    ByteBudget& memory = scope.worker.process.body_memory;
    const Bytes before = memory.used();
    wire::ResponseHead head;
    head.status = 400;
    note_reply_head(scope, head);
    EXPECT_EQ(hold_error(scope, head, "<html>").code, ErrorCode::kUpstreamError);
    EXPECT_TRUE(scope.said.refused);
    EXPECT_EQ(memory.used().value, before.value + 6);
    scope.said = ProviderReply();
    EXPECT_EQ(memory.used().value, before.value);
    const std::optional<ByteLease> rest = memory.take(Bytes{memory.limit().value - before.value});
    ASSERT_TRUE(rest);
    note_reply_head(scope, head);
    EXPECT_EQ(hold_error(scope, head, "<html>").code, ErrorCode::kOverloaded);
    EXPECT_FALSE(scope.said.refused);
    EXPECT_FALSE(scope.said.error);
    scope.said = ProviderReply();
  });
}

}  // namespace
}  // namespace penstock::gateway
