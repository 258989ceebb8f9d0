#include "control/attempt_failure.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/error_code.h"
#include "control/outcome.h"

namespace penstock::control {
namespace {

FailureKind of_code(ErrorCode code) {
  return kind_of({.error = Error(code), .facts = {.code = code}});
}
FailureKind of_status(std::uint16_t status, ProviderWord word = ProviderWord::kNone) {
  return kind_of({.error = Error(ErrorCode::kUpstreamError),
                  .facts = {.provider_status = status, .word = word}});
}

// A provider's own answer, by status and word.
TEST(AttemptFailure, StatusesAreToldApart) {
  EXPECT_EQ(of_status(500), FailureKind::kBroken);
  EXPECT_EQ(of_status(503), FailureKind::kBroken);
  EXPECT_EQ(of_status(408), FailureKind::kBroken);
  EXPECT_EQ(of_status(429), FailureKind::kLoad);
  EXPECT_EQ(of_status(529), FailureKind::kLoad);
  EXPECT_EQ(of_status(401), FailureKind::kCredentials);
  EXPECT_EQ(of_status(403), FailureKind::kCredentials);
  EXPECT_EQ(of_status(404), FailureKind::kFinal);
  EXPECT_EQ(of_status(404, ProviderWord::kModelNotFound), FailureKind::kModelMissing);
  EXPECT_EQ(of_status(400), FailureKind::kFinal);
  EXPECT_EQ(of_status(400, ProviderWord::kContextLength), FailureKind::kContextLength);
  EXPECT_EQ(of_status(200), FailureKind::kFinal);
  const Facts told{.provider_status = 503, .retry_after = Facts::RetryAfter::kGiven};
  EXPECT_EQ(kind_of({.error = Error(ErrorCode::kUpstreamOverloaded), .facts = told}),
            FailureKind::kLoad);
}

// Every code of ours falls into exactly the kind that its outcome allows; the client's are final.
TEST(AttemptFailure, CodesAreToldApart) {
  EXPECT_EQ(of_code(ErrorCode::kUpstreamUnavailable), FailureKind::kBroken);
  EXPECT_EQ(of_code(ErrorCode::kUpstreamBadResponse), FailureKind::kBroken);
  EXPECT_EQ(of_code(ErrorCode::kUpstreamCredentials), FailureKind::kCredentials);
  EXPECT_EQ(of_code(ErrorCode::kUpstreamRateLimited), FailureKind::kLoad);
  EXPECT_EQ(of_code(ErrorCode::kUpstreamTimeout), FailureKind::kSilent);
  EXPECT_EQ(of_code(ErrorCode::kDeadlineExceeded), FailureKind::kFinal);
  EXPECT_EQ(of_code(ErrorCode::kOverloaded), FailureKind::kFinal);
  for (const ErrorInfo& row : error_table())
    if (row.source == ErrorSource::kClient) EXPECT_EQ(of_code(row.code), FailureKind::kFinal);
}

// A time-out before the connection stands is a connect failure, not silence.
TEST(AttemptFailure, AConnectTimeOutIsNoSilence) {
  EXPECT_EQ(kind_of({.error = Error(ErrorCode::kUpstreamTimeout),
                     .facts = {.code = ErrorCode::kUpstreamTimeout},
                     .stage = AttemptStage::kConnecting}),
            FailureKind::kBroken);
}

// Nobody is left to answer.
TEST(AttemptFailure, ADepartureIsFinal) {
  EXPECT_EQ(
      kind_of({.error = Error(ErrorCode::kUpstreamUnavailable),
               .facts = {.code = ErrorCode::kUpstreamUnavailable, .client = Facts::Client::kGone}}),
      FailureKind::kFinal);
}

}  // namespace
}  // namespace penstock::control
