#pragma once

#include <cstdint>
#include <optional>

#include "base/error_code.h"
#include "base/outcome.h"

namespace penstock::control {

// What a provider's error reply says beyond its status, where that changes what follows. Told by
// the dialect.
enum class ProviderWord : std::uint8_t {
  kNone,
  kContextLength,  // context_length_exceeded: the prompt is too long for this model
  kModelNotFound,  // a name that our own mapping gave it
};

// What is known of how an attempt, or a request, ended.
struct Facts {
  std::optional<ErrorCode> code = {};  // nullopt: it did not fail
  std::uint16_t provider_status = 0;   // of the provider's reply; 0: there was none
  enum class Client : std::uint8_t { kThere, kGone } client = Client::kThere;
  // Whether the provider's reply had a Retry-After: a 503 without one is a fault, not load.
  enum class RetryAfter : std::uint8_t { kAbsent, kGiven } retry_after = RetryAfter::kAbsent;
  ProviderWord word = ProviderWord::kNone;
};

// The one classification, read by metrics, logs, breaker, retry and balancer alike. Neutral for a
// replica is everything but ok, fault, slow and timeout.
[[nodiscard]] Outcome classify(const Facts& facts) noexcept;

}  // namespace penstock::control
