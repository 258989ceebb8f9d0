#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace penstock {

// Why a request was refused or failed: one value per code that a client may see, same words.
// Meaning, status, source and whether a client should try again stand in one table, in the .cpp.
enum class ErrorCode : std::uint8_t {
  kInvalidJson,           // the body is not one well-formed JSON document
  kInvalidRequest,        // well-formed but wrong: types, framing, ranges
  kUnsupportedParameter,  // a parameter that no mapping to the provider keeps
  kUnauthenticated,       // no key, or one that nobody knows
  kKeyDisabled,           // a known key that is disabled or has expired
  kModelNotAllowed,
  kProviderNotAllowed,
  kToolsNotAllowed,
  kLabelRequired,
  kContentBlocked,
  kModelNotFound,
  kNotFound,          // the path
  kMethodNotAllowed,  // the path exists, not for this method
  kBodyTooLarge,
  kUnsupportedMediaType,
  kHeaderTooLarge,
  kUriTooLong,
  kRateLimitExceeded,     // our own limit, not the provider's
  kInsufficientQuota,     // the budget is spent
  kOverloaded,            // admission: an in-flight ceiling, a pool or body memory is full
  kNoReplica,             // nothing eligible to send to
  kDraining,              // this gateway is leaving
  kUpstreamUnavailable,   // refused, unresolved or reset before the reply head
  kUpstreamError,         // the provider said it failed
  kUpstreamBadResponse,   // framing or JSON the provider should not have sent
  kUpstreamRateLimited,   // the provider's own rate limit
  kUpstreamOverloaded,    // the provider said it is overloaded
  kUpstreamCredentials,   // the provider refused our key
  kDeadlineExceeded,      // the client's time ran out; says nothing about the replica
  kUpstreamTimeout,       // the replica exceeded its own time limit
  kRedactionUnavailable,  // the redactor failed or timed out
  kRequestTimeout,        // the client's body came too slowly
  kStoreUnavailable,
  kInternal,
  kPriceUnknown,
  kStreamInterrupted,  // only inside a stream that had begun: its one error event
};
inline constexpr std::size_t kErrorCodeCount = 36;

// Whose doing an error is, as told in `error.source`.
enum class ErrorSource : std::uint8_t { kClient, kPolicy, kUpstream, kGateway };

// Whether a client should send the request again, as told in `x-should-retry`.
enum class ShouldRetry : std::uint8_t {
  kNo,
  kYes,
  kWhenTold,  // only together with a Retry-After that the provider gave
};

struct ErrorInfo {
  ErrorCode code;
  std::string_view name;  // the word on the wire
  std::uint16_t status;   // HTTP
  ErrorSource source;
  ShouldRetry retry;
  std::string_view type;     // OpenAI's coarse class, `error.type`
  std::string_view message;  // said when nobody has a better sentence
};

// The row of a code. The table is total: a test walks every value.
[[nodiscard]] const ErrorInfo& info(ErrorCode code) noexcept;

// All rows, in the order of the enum.
[[nodiscard]] std::span<const ErrorInfo> error_table() noexcept;

[[nodiscard]] std::string_view name(ErrorSource source) noexcept;

}  // namespace penstock
