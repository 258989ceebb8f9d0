#include "app/control_ticker.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/seams.h"
#include "base/units.h"
#include "control/amplification.h"
#include "gateway/snapshot.h"
#include "json/log_line.h"
#include "runtime/event_loop.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {
namespace {

constexpr Duration kEvery = 1s;

}  // namespace

ControlTicker::ControlTicker(runtime::EventLoop& loop, LogSink& operators,
                             std::vector<const telemetry::GatewayMetrics*> metrics,
                             std::shared_ptr<const gateway::Snapshot> snapshot)
    : loop_(loop),
      log_(operators),
      metrics_(std::move(metrics)),
      snapshot_(std::move(snapshot)),
      timer_(loop.timers(), &ControlTicker::on_timer, this) {
  timer_.arm(loop_.clock().now() + kEvery);
}

void ControlTicker::on_timer(void* self) noexcept {
  auto& ticker = *static_cast<ControlTicker*>(self);
  ticker.tick();
  ticker.timer_.arm(ticker.loop_.clock().now() + kEvery);
}

void ControlTicker::tick() {
  pace_.tick(snapshot_->providers, loop_.clock().now());
  watch_amplification();
}

void ControlTicker::watch_amplification() {
  std::uint64_t requests = 0;
  std::uint64_t attempts = 0;
  for (const telemetry::GatewayMetrics* shard : metrics_) {
    shard->requests.each([&](auto, const auto& series) { requests += series.read(); });
    shard->upstream_requests.each([&](auto, const auto& series) { attempts += series.read(); });
  }
  const auto event = amplification_.tick(requests, attempts, loop_.clock().now());
  ratio_.store(amplification_.ratio());
  if (event == control::Amplification::Event::kNone) return;
  const bool high = event == control::Amplification::Event::kTooHigh;
  json::LogLine(high ? json::LogLevel::kWarn : json::LogLevel::kInfo,
                high ? "attempts exceed requests by more than 30 % for a minute: retries add to "
                       "the load of the providers"
                     : "amplification is back to normal")
      .with("alert", "amplification")
      .with("ratio", fmt::format("{:.2f}", amplification_.ratio()))
      .write_to(log_);
}

}  // namespace penstock::app
