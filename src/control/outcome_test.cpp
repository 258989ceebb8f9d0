#include "control/outcome.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace penstock::control
