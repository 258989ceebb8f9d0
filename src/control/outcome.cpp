#include "control/outcome.h"

#include <cstdint>

#include "base/assert.h"
#include "base/error_code.h"
#include "base/outcome.h"

namespace penstock::control {
namespace {

Outcome of_status(const Facts& facts) noexcept {
  const std::uint16_t status = facts.provider_status;
  if (status < 400) return Outcome::kOk;
  if (status == 429 || status == 529) return Outcome::kOverload;
  if (status == 503 && facts.retry_after == Facts::RetryAfter::kGiven) return Outcome::kOverload;
  if (status == 408) return Outcome::kTimeout;
  if (status == 401 || status == 403) return Outcome::kFault;  // our key, not the client's doing
  if (status == 404 && facts.word == ProviderWord::kModelNotFound) return Outcome::kFault;
  return status < 500 ? Outcome::kClientError : Outcome::kFault;
}

// A 503 is load only with a Retry-After, whatever words come with it. Inside a 200 stream the words
// are all there is.
Outcome of_load(const Facts& facts) noexcept {
  return facts.provider_status == 503 ? of_status(facts) : Outcome::kOverload;
}

}  // namespace

Outcome classify(const Facts& facts) noexcept {
  if (facts.client == Facts::Client::kGone) return Outcome::kCancelled;
  if (!facts.code) return of_status(facts);
  switch (*facts.code) {
    case ErrorCode::kDeadlineExceeded: return Outcome::kDeadline;
    case ErrorCode::kUpstreamTimeout: return Outcome::kTimeout;
    case ErrorCode::kUpstreamRateLimited:
    case ErrorCode::kUpstreamOverloaded: return of_load(facts);
    case ErrorCode::kUpstreamUnavailable:
    case ErrorCode::kUpstreamError:
    case ErrorCode::kUpstreamBadResponse:
    case ErrorCode::kUpstreamCredentials:
    case ErrorCode::kStreamInterrupted:
    case ErrorCode::kNoReplica: return Outcome::kFault;
    case ErrorCode::kOverloaded:
    case ErrorCode::kDraining:
    case ErrorCode::kRedactionUnavailable:
    case ErrorCode::kStoreUnavailable:
    case ErrorCode::kInternal:
    case ErrorCode::kPriceUnknown: return Outcome::kLocal;
    case ErrorCode::kInvalidJson:
    case ErrorCode::kInvalidRequest:
    case ErrorCode::kUnsupportedParameter:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kKeyDisabled:
    case ErrorCode::kModelNotAllowed:
    case ErrorCode::kProviderNotAllowed:
    case ErrorCode::kToolsNotAllowed:
    case ErrorCode::kLabelRequired:
    case ErrorCode::kContentBlocked:
    case ErrorCode::kModelNotFound:
    case ErrorCode::kNotFound:
    case ErrorCode::kMethodNotAllowed:
    case ErrorCode::kBodyTooLarge:
    case ErrorCode::kUnsupportedMediaType:
    case ErrorCode::kHeaderTooLarge:
    case ErrorCode::kUriTooLong:
    case ErrorCode::kRateLimitExceeded:
    case ErrorCode::kInsufficientQuota:
    case ErrorCode::kRequestTimeout: return Outcome::kClientError;
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace penstock::control
