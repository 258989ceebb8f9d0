#include "lab/load_advice.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/units.h"
#include "wire/header_list.h"

namespace penstock::lab {
namespace {

constexpr Duration kWaitMax = 60s;
constexpr Duration kOwnWait = 500ms;
constexpr Duration kOwnWaitMax = 8s;

std::optional<Duration> read_wait(std::optional<std::string_view> text, Duration unit) noexcept {
  if (!text) return std::nullopt;
  double value = -1;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  const double wait = value * static_cast<double>(unit.count());
  if (!(wait >= 0 && wait <= static_cast<double>(kWaitMax.count()))) return std::nullopt;
  return Duration(static_cast<Duration::rep>(wait));
}

}  // namespace

Duration LoadAdvice::wait_for(std::uint32_t retry_number) const noexcept {
  if (wait) return *wait;
  return std::min(kOwnWaitMax, kOwnWait * (1U << std::min(retry_number - 1, 8U)));
}

LoadAdvice read_advice(int status, const wire::HeaderList& headers) noexcept {
  LoadAdvice advice;
  advice.retry = status == 408 || status == 409 || status == 429 || status >= 500;
  if (const auto should = headers.find("x-should-retry")) advice.retry = *should == "true";
  advice.wait = read_wait(headers.find("retry-after-ms"), 1ms);
  if (!advice.wait) advice.wait = read_wait(headers.find("retry-after"), 1s);
  return advice;
}

}  // namespace penstock::lab
