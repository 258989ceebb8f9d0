#include "control/attempt_failure.h"

#include <cstdint>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/outcome.h"
#include "control/outcome.h"

namespace penstock::control {
namespace {

FailureKind of_fault(const Facts& facts) noexcept {
  const std::uint16_t status = facts.provider_status;
  if (facts.word == ProviderWord::kModelNotFound) return FailureKind::kModelMissing;
  if (status == 401 || status == 403) return FailureKind::kCredentials;
  return facts.code == ErrorCode::kUpstreamCredentials ? FailureKind::kCredentials
                                                       : FailureKind::kBroken;
}

}  // namespace

FailureKind kind_of(const AttemptFailure& failure) noexcept {
  const Facts& facts = failure.facts;
  switch (classify(facts)) {
    case Outcome::kFault: return of_fault(facts);
    case Outcome::kOverload: return FailureKind::kLoad;
    case Outcome::kTimeout: {
      const bool answered = facts.provider_status == 408;
      const bool connecting = failure.stage == AttemptStage::kConnecting;
      return answered || connecting ? FailureKind::kBroken : FailureKind::kSilent;
    }
    case Outcome::kClientError:
      return facts.word == ProviderWord::kContextLength ? FailureKind::kContextLength
                                                        : FailureKind::kFinal;
    case Outcome::kOk:  // a reply that failed later, in our own hands
    case Outcome::kSlow:
    case Outcome::kCancelled:
    case Outcome::kDeadline:
    case Outcome::kLocal: return FailureKind::kFinal;
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace penstock::control
