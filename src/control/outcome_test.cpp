#include "control/outcome.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/outcome.h"

namespace penstock::control {
namespace {

// A client that left is never an error, whatever else went wrong at the same time.
TEST(Outcome, ADepartureOutranksEveryFailure) {
  for (const ErrorInfo& row : error_table()) {
    const Facts facts{.code = row.code, .client = Facts::Client::kGone};
    EXPECT_EQ(classify(facts), Outcome::kCancelled) << row.name;
  }
}

// Whose doing an error is decides whether it may count against a replica.
TEST(Outcome, OnlyUpstreamErrorsAreFaults) {
  for (const ErrorInfo& row : error_table()) {
    const Outcome outcome = classify(Facts{.code = row.code});
    if (outcome == Outcome::kFault || outcome == Outcome::kTimeout)
      EXPECT_TRUE(row.source == ErrorSource::kUpstream || row.code == ErrorCode::kNoReplica)
          << row.name;
    if (row.source == ErrorSource::kClient) EXPECT_EQ(outcome, Outcome::kClientError) << row.name;
  }
}

// A provider's status: overload is load, a refused key is ours to mend, 4xx is the client's.
TEST(Outcome, ProviderStatusesAreToldApart) {
  const auto of = [](std::uint16_t status) { return classify(Facts{.provider_status = status}); };
  EXPECT_EQ(of(200), Outcome::kOk);
  EXPECT_EQ(of(400), Outcome::kClientError);
  EXPECT_EQ(of(401), Outcome::kFault);
  EXPECT_EQ(of(408), Outcome::kTimeout);
  EXPECT_EQ(of(429), Outcome::kOverload);
  EXPECT_EQ(of(500), Outcome::kFault);
  EXPECT_EQ(of(529), Outcome::kOverload);
}

// A 503 is load only with a Retry-After; a breaker that saw every 503 as load would never open.
TEST(Outcome, A503IsLoadOnlyWhenItSaysWhen) {
  const auto given = Facts::RetryAfter::kGiven;
  EXPECT_EQ(classify({.provider_status = 503}), Outcome::kFault);
  EXPECT_EQ(classify({.provider_status = 503, .retry_after = given}), Outcome::kOverload);
  const ErrorCode code = ErrorCode::kUpstreamOverloaded;
  EXPECT_EQ(classify({.code = code, .provider_status = 503}), Outcome::kFault);
  EXPECT_EQ(classify({.code = code, .provider_status = 503, .retry_after = given}),
            Outcome::kOverload);
  EXPECT_EQ(classify({.code = code, .provider_status = 200}), Outcome::kOverload);
  EXPECT_EQ(classify({.code = code}), Outcome::kOverload);
}

// A name that our own mapping gave and the provider does not know is a fault; any other 404 is not.
TEST(Outcome, AnUnknownModelOfOurMappingIsAFault) {
  const ProviderWord word = ProviderWord::kModelNotFound;
  EXPECT_EQ(classify({.provider_status = 404, .word = word}), Outcome::kFault);
  EXPECT_EQ(classify({.provider_status = 404}), Outcome::kClientError);
  EXPECT_EQ(classify({.provider_status = 400, .word = ProviderWord::kContextLength}),
            Outcome::kClientError);
}

}  // namespace
}  // namespace penstock::control
