#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/units.h"

namespace penstock {

// The gateway's error value. What a code means to a client (status, source, should-retry) stands
// only in the table of codes. No member ever holds a secret, prompt or reply text.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::uint16_t status = 0;             // 0: the table's; else a more exact one (501, 505, 529)
  std::string message;                  // for the client; empty: the table's sentence
  std::string param;                    // the member or header at fault, or empty
  std::string hint;                     // what to do about it, or empty
  std::string detail;                   // for operators, only in logs
  std::optional<Duration> retry_after;  // when to come back

  Error() = default;

  explicit Error(ErrorCode c) : code(c) {}
  Error(ErrorCode c, std::string text) : code(c), message(std::move(text)) {}

  [[nodiscard]] std::uint16_t http_status() const noexcept {
    return status != 0 ? status : info(code).status;
  }
};

}  // namespace penstock
