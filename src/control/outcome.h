#pragma once

#include <cstdint>
#include <optional>

#include "base/error_code.h"
#include "base/outcome.h"

namespace penstock::control {

// What is known of how an attempt, or a request, ended.
struct Facts {
  std::optional<ErrorCode> code = {};  // nullopt: it did not fail
  std::uint16_t provider_status = 0;  // of the provider's reply; 0: there was none
  enum class Client : std::uint8_t { kThere, kGone } client = Client::kThere;
};

// The one classification: read by metrics and logs now, by breaker, retry and health later.
[[nodiscard]] Outcome classify(const Facts& facts) noexcept;

}  // namespace penstock::control
