#include "base/error_code.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "base/assert.h"

namespace penstock {
namespace {

using enum ErrorCode;
using enum ErrorSource;
constexpr auto kNo = ShouldRetry::kNo;
constexpr auto kYes = ShouldRetry::kYes;
constexpr auto kWhenTold = ShouldRetry::kWhenTold;
constexpr std::string_view kRequestError = "invalid_request_error";
constexpr std::string_view kServerError = "server_error";

// clang-format off
constexpr std::array<ErrorInfo, kErrorCodeCount> kTable{{
    {kInvalidJson, "invalid_json", 400, kClient, kNo, kRequestError, "The body is not valid JSON."},
    {kInvalidRequest, "invalid_request", 400, kClient, kNo, kRequestError, "The request is not valid."},
    {kUnsupportedParameter, "unsupported_parameter", 400, kClient, kNo, kRequestError, "A parameter is not supported by the provider of this model."},
    {kUnauthenticated, "unauthenticated", 401, kPolicy, kNo, "authentication_error", "No valid API key was given."},
    {kKeyDisabled, "key_disabled", 403, kPolicy, kNo, "permission_error", "This API key is disabled or has expired."},
    {kModelNotAllowed, "model_not_allowed", 403, kPolicy, kNo, "permission_error", "This key may not use this model."},
    {kProviderNotAllowed, "provider_not_allowed", 403, kPolicy, kNo, "permission_error", "This key may not use this provider."},
    {kToolsNotAllowed, "tools_not_allowed", 403, kPolicy, kNo, "permission_error", "This key may not use tools."},
    {kLabelRequired, "label_required", 403, kPolicy, kNo, "permission_error", "The request must carry a known data label."},
    {kContentBlocked, "content_blocked", 403, kPolicy, kNo, "permission_error", "The content was blocked by policy."},
    {kModelNotFound, "model_not_found", 404, kClient, kNo, kRequestError, "This model does not exist."},
    {kNotFound, "not_found", 404, kClient, kNo, kRequestError, "This path does not exist."},
    {kMethodNotAllowed, "method_not_allowed", 405, kClient, kNo, kRequestError, "This path does not take this method."},
    {kBodyTooLarge, "body_too_large", 413, kClient, kNo, kRequestError, "The body is larger than this gateway accepts."},
    {kUnsupportedMediaType, "unsupported_media_type", 415, kClient, kNo, kRequestError, "The body must be application/json."},
    {kHeaderTooLarge, "header_too_large", 431, kClient, kNo, kRequestError, "The request head is larger than this gateway accepts."},
    {kUriTooLong, "uri_too_long", 414, kClient, kNo, kRequestError, "The request target is longer than this gateway accepts."},
    {kRateLimitExceeded, "rate_limit_exceeded", 429, kPolicy, kYes, "rate_limit_error", "A rate limit of this key, workload or tenant is exceeded."},
    {kInsufficientQuota, "insufficient_quota", 429, kPolicy, kNo, "insufficient_quota", "The budget is spent."},
    {kOverloaded, "overloaded", 503, kGateway, kYes, kServerError, "The gateway is at its limit; try again shortly."},
    {kNoReplica, "no_replica", 503, kGateway, kYes, kServerError, "No replica of this model can take a request now."},
    {kDraining, "draining", 503, kGateway, kYes, kServerError, "This gateway is shutting down; another one will answer."},
    {kUpstreamUnavailable, "upstream_unavailable", 502, kUpstream, kNo, kServerError, "The provider could not be reached."},
    {kUpstreamError, "upstream_error", 502, kUpstream, kNo, kServerError, "The provider reported an error."},
    {kUpstreamBadResponse, "upstream_bad_response", 502, kUpstream, kNo, kServerError, "The provider's reply could not be understood."},
    {kUpstreamRateLimited, "upstream_rate_limited", 429, kUpstream, kWhenTold, "rate_limit_error", "The provider's rate limit is exceeded."},
    {kUpstreamOverloaded, "upstream_overloaded", 503, kUpstream, kWhenTold, kServerError, "The provider is overloaded."},
    {kUpstreamCredentials, "upstream_credentials", 502, kUpstream, kNo, kServerError, "The provider refused the gateway's credentials."},
    {kDeadlineExceeded, "deadline_exceeded", 504, kGateway, kNo, kServerError, "The request's deadline passed."},
    {kUpstreamTimeout, "upstream_timeout", 504, kUpstream, kNo, kServerError, "The provider did not answer in time."},
    {kRedactionUnavailable, "redaction_unavailable", 503, kGateway, kYes, kServerError, "The redaction of personal data could not be completed."},
    {kRequestTimeout, "request_timeout", 408, kClient, kYes, kRequestError, "The request's body came too slowly."},
    {kStoreUnavailable, "store_unavailable", 503, kGateway, kYes, kServerError, "A store that this request needs is not available."},
    {kInternal, "internal", 500, kGateway, kYes, kServerError, "The gateway failed; this is a fault of ours."},
    {kPriceUnknown, "price_unknown", 503, kGateway, kNo, kServerError, "This model has no price, so its budget cannot be kept."},
    {kStreamInterrupted, "stream_interrupted", 502, kUpstream, kNo, kServerError, "The stream was interrupted before its end."},
}};
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kTable.size(); ++i)
        if (std::to_underlying(kTable[i].code) != i) return false;
      return true;
    }(),
    "the rows stand in the order of the enum");

}  // namespace

const ErrorInfo& info(ErrorCode code) noexcept {
  const auto index = std::to_underlying(code);
  PENSTOCK_ASSERT(index < kTable.size());
  return kTable[index];
}

std::span<const ErrorInfo> error_table() noexcept { return kTable; }

std::string_view name(ErrorSource source) noexcept {
  switch (source) {
    case kClient: return "client";
    case kPolicy: return "policy";
    case kUpstream: return "upstream";
    case kGateway: return "gateway";
  }
  PENSTOCK_ASSERT(false);
}

}  // namespace penstock
