#pragma once

#include <cstdint>

#include "base/error.h"
#include "control/outcome.h"

namespace penstock::control {

// How an attempt failed, as far as it decides where the next one goes.
enum class FailureKind : std::uint8_t {
  kBroken,        // refused, reset, unreadable, 408, 5xx, or an error object that opened the stream
  kLoad,          // 429, 529, 503 with Retry-After; error.retry_after says for how long
  kSilent,        // first_byte ran out
  kCredentials,   // 401, 403: our key; nothing at that provider will do better
  kModelMissing,  // 404 for a name of our mapping
  kContextLength,  // 400 context_length_exceeded
  kFinal,          // the client's own doing, ours, or nobody is left to tell: no attempt would help
};

// Where in the attempt it ended: a time-out before the connection stands is a connect failure.
enum class AttemptStage : std::uint8_t { kConnecting, kConnected };

struct AttemptFailure {
  Error error;  // what the client is told should this be the last attempt
  Facts facts;  // as for classify(); its `code` is error.code unless a provider's own reply passes
  AttemptStage stage = AttemptStage::kConnected;
};

[[nodiscard]] FailureKind kind_of(const AttemptFailure& failure) noexcept;

}  // namespace penstock::control
