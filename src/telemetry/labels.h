#pragma once

#include <cstdint>
#include <string_view>

// The closed label values of the gateway's own metrics.
namespace penstock::telemetry {

// How a committed stream ended for the client.
enum class StreamEnd : std::uint8_t { kTerminal, kErrorEvent, kClientGone };

[[nodiscard]] constexpr std::string_view name(StreamEnd end) noexcept {
  switch (end) {
    case StreamEnd::kTerminal: return "terminal";
    case StreamEnd::kErrorEvent: return "error_event";
    case StreamEnd::kClientGone: return "client_gone";
  }
  return "unknown";
}

// Whose doing it was that a stream did not reach its end.
enum class InterruptCause : std::uint8_t { kClient, kProvider, kGateway };

[[nodiscard]] constexpr std::string_view name(InterruptCause cause) noexcept {
  switch (cause) {
    case InterruptCause::kClient: return "client";
    case InterruptCause::kProvider: return "provider";
    case InterruptCause::kGateway: return "gateway";
  }
  return "unknown";
}

// Cached kinds are part of input and reasoning is part of output, whatever the provider's own
// arithmetic.
enum class TokenKind : std::uint8_t {
  kInput,
  kInputCached,
  kInputCacheWrite,
  kOutput,
  kOutputReasoning,
};

[[nodiscard]] constexpr std::string_view name(TokenKind kind) noexcept {
  switch (kind) {
    case TokenKind::kInput: return "input";
    case TokenKind::kInputCached: return "input_cached";
    case TokenKind::kInputCacheWrite: return "input_cache_write";
    case TokenKind::kOutput: return "output";
    case TokenKind::kOutputReasoning: return "output_reasoning";
  }
  return "unknown";
}

// Whether tokens were counted by whoever served them, or by us from what passed.
enum class Estimated : std::uint8_t { kNo, kYes };

[[nodiscard]] constexpr std::string_view name(Estimated estimated) noexcept {
  return estimated == Estimated::kYes ? "true" : "false";
}

// The stage of the pipeline that refused a request.
enum class RejectionStage : std::uint8_t {
  kHead,      // request line, headers, framing, path, method
  kIdentify,  // credentials
  kQuota,     // requests and tokens over time
  kBody,      // reading it: size, pace, memory
  kValidate,  // JSON and its members
  kPolicy,    // the rules of the caller
  kAdmit,     // ceilings, draining
  kRoute,     // models and replicas
};

[[nodiscard]] constexpr std::string_view name(RejectionStage stage) noexcept {
  switch (stage) {
    case RejectionStage::kHead: return "head";
    case RejectionStage::kIdentify: return "identify";
    case RejectionStage::kQuota: return "quota";
    case RejectionStage::kBody: return "body";
    case RejectionStage::kValidate: return "validate";
    case RejectionStage::kPolicy: return "policy";
    case RejectionStage::kAdmit: return "admit";
    case RejectionStage::kRoute: return "route";
  }
  return "unknown";
}

// A rule about what callers may ask for.
enum class PolicyRule : std::uint8_t {
  kLabel,
  kAccess,    // models, providers, tiers
  kReadable,  // what rules read must be what a provider reads
  kTools,
  kOutput,
  kSystemPrompt,
};

[[nodiscard]] constexpr std::string_view name(PolicyRule rule) noexcept {
  switch (rule) {
    case PolicyRule::kLabel: return "label";
    case PolicyRule::kAccess: return "access";
    case PolicyRule::kReadable: return "readable";
    case PolicyRule::kTools: return "tools";
    case PolicyRule::kOutput: return "output";
    case PolicyRule::kSystemPrompt: return "system_prompt";
  }
  return "unknown";
}

// What a rule made of a request.
enum class Ruling : std::uint8_t { kPassed, kChanged, kRefused };

[[nodiscard]] constexpr std::string_view name(Ruling ruling) noexcept {
  switch (ruling) {
    case Ruling::kPassed: return "passed";
    case Ruling::kChanged: return "changed";
    case Ruling::kRefused: return "refused";
  }
  return "unknown";
}

// Why an attempt was followed by another.
enum class RetryReason : std::uint8_t {
  kBroken,         // refused, reset, unreadable, 408, 5xx, an error that opened the stream
  kLoad,           // 429, 529, 503 with Retry-After
  kSilent,         // first_byte ran out
  kCredentials,    // the provider refused our key
  kModelMissing,   // the provider does not know the name of our mapping
  kContextLength,  // the prompt is too long for the model
};

[[nodiscard]] constexpr std::string_view name(RetryReason reason) noexcept {
  switch (reason) {
    case RetryReason::kBroken: return "broken";
    case RetryReason::kLoad: return "load";
    case RetryReason::kSilent: return "silent";
    case RetryReason::kCredentials: return "credentials";
    case RetryReason::kModelMissing: return "model_missing";
    case RetryReason::kContextLength: return "context_length";
  }
  return "unknown";
}

// In what identifiers were looked for.
enum class RedactedIn : std::uint8_t { kRequest, kResponse };

[[nodiscard]] constexpr std::string_view name(RedactedIn in) noexcept {
  return in == RedactedIn::kRequest ? "request" : "response";
}

// What a ceiling on requests in flight, or a wait for it, is about.
enum class Scope : std::uint8_t { kProcess, kTenant, kWorkload, kProvider };

[[nodiscard]] constexpr std::string_view name(Scope scope) noexcept {
  switch (scope) {
    case Scope::kProcess: return "process";
    case Scope::kTenant: return "tenant";
    case Scope::kWorkload: return "workload";
    case Scope::kProvider: return "provider";
  }
  return "unknown";
}

enum class ConnectionState : std::uint8_t { kIdle, kActive };

[[nodiscard]] constexpr std::string_view name(ConnectionState state) noexcept {
  switch (state) {
    case ConnectionState::kIdle: return "idle";
    case ConnectionState::kActive: return "active";
  }
  return "unknown";
}

}  // namespace penstock::telemetry
