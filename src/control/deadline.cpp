#include "control/deadline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"
#include "control/call_kind.h"

namespace penstock::control {
namespace {

constexpr std::string_view kHeader = "x-request-timeout-ms";
// Longer numbers are larger than any deadline, and stop here before they overflow.
constexpr std::int64_t kMax = 1'000'000'000'000;

// Digits only, at least one; stops at kMax.
std::optional<std::int64_t> whole_number(std::string_view text) noexcept {
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(kMax, value * 10 + (c - '0'));
  }
  return value;
}

Duration at_most(std::int64_t count, Duration unit, Duration longest) noexcept {
  return count > longest / unit ? longest : count * unit;
}

// `600`, `600.0`, `0.25`: seconds, to the nanosecond; further digits are dropped.
std::optional<Duration> seconds(std::string_view text, Duration longest) noexcept {
  const std::size_t point = text.find('.');
  const std::optional<std::int64_t> whole = whole_number(text.substr(0, point));
  if (!whole) return std::nullopt;
  std::int64_t nanoseconds = 0;
  if (point != std::string_view::npos) {
    const std::string_view digits = text.substr(point + 1);
    const std::optional<std::int64_t> fraction = whole_number(digits.substr(0, 9));
    if (!fraction || !whole_number(digits)) return std::nullopt;
    nanoseconds = *fraction;
    for (std::size_t i = digits.size(); i < 9; ++i) nanoseconds *= 10;
  }
  const Duration told = std::min(longest, at_most(*whole, 1s, longest) + Duration(nanoseconds));
  return told > 0s ? std::optional(told) : std::nullopt;
}

std::optional<Duration> hint(const PatienceHeaders& headers, Duration longest) noexcept {
  for (const auto& header : {headers.stainless_read_timeout, headers.stainless_timeout})
    if (header)
      if (const std::optional<Duration> told = seconds(*header, longest)) return told;
  return std::nullopt;
}

}  // namespace

Result<Patience> patience(const PatienceHeaders& headers, CallKind kind, Duration longest) {
  if (headers.request_timeout_ms) {
    const std::optional<std::int64_t> told = whole_number(*headers.request_timeout_ms);
    if (!told || *told == 0) {
      Error error(ErrorCode::kInvalidRequest,
                  "x-request-timeout-ms is not a whole number above 0.");
      error.param = kHeader;
      return fail(std::move(error));
    }
    return Patience{.total = at_most(*told, 1ms, longest)};
  }
  const std::optional<Duration> told = hint(headers, longest);
  if (!told) return Patience{.total = longest};
  if (kind == CallKind::kUnary) return Patience{.total = *told};
  return Patience{.total = longest, .first_content = told};
}

}  // namespace penstock::control
