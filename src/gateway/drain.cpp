#include "gateway/drain.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string_view>

#include "base/error_code.h"
#include "base/units.h"
#include "gateway/drain_config.h"
#include "gateway/request_scope.h"
#include "gateway/worker.h"
#include "json/log_line.h"
#include "net/exchange.h"
#include "runtime/cancellation.h"

namespace penstock::gateway {
namespace {

constexpr Duration kHandshake = 50ms;   // of TCP: a round trip with a lost packet's margin
constexpr Duration kLastWords = 400ms;  // the promise is to exit within 1 s, logs included

// Told to stop, and stopped. One that had its reply complete all the same was not cut.
bool was_cut(const RequestScope& scope) {
  if (scope.exchange.cancellation().reason() != runtime::StopReason::kShutdown) return false;
  return scope.exchange.client_left() ? scope.stop != "complete"
                                      : scope.code == ErrorCode::kDraining;
}

}  // namespace

DrainTimes drain_times(const DrainConfig& config, TimePoint signalled) {
  const TimePoint settled = signalled + config.settle;
  const TimePoint closed = settled + std::min(config.settle, kHandshake);
  const TimePoint given_up = std::max(closed, settled + config.timeout);
  return {
      .settled = settled, .closed = closed, .given_up = given_up, .over = given_up + kLastWords};
}

void tell_if_cut(const RequestScope& scope, Duration took) noexcept {
  if (!was_cut(scope)) return;
  scope.worker.process.cut.fetch_add(1, std::memory_order_relaxed);
  const std::string_view provider =
      scope.provider != nullptr ? std::string_view(scope.provider->name) : std::string_view();
  json::LogLine(json::LogLevel::kWarn, "request cut by draining")
      .with("request_id", scope.request_id)
      .with("call_id", scope.call_id)
      .with("tenant", scope.principal.tenant)
      .with("model", scope.model_name())
      .with("provider", provider)
      .with("attempts", scope.attempts)
      .with("duration_us", std::chrono::floor<std::chrono::microseconds>(took).count())
      .write_to(scope.worker.log);
}

}  // namespace penstock::gateway
