#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/seams.h"
#include "control/amplification.h"
#include "fleet/pace.h"
#include "gateway/snapshot.h"
#include "runtime/event_loop.h"
#include "runtime/timer.h"
#include "telemetry/gateway_metrics.h"

namespace penstock::app {

// What the control thread looks after once a second: the pace of the providers, and how much the
// retries of this process add to their load.
class ControlTicker {
 public:
  // metrics: of every worker. All outlive it.
  ControlTicker(runtime::EventLoop& loop, LogSink& operators,
                std::vector<const telemetry::GatewayMetrics*> metrics,
                std::shared_ptr<const gateway::Snapshot> snapshot);
  ControlTicker(const ControlTicker&) = delete;
  ControlTicker& operator=(const ControlTicker&) = delete;

  // From the next tick on this config counts.
  void set_snapshot(std::shared_ptr<const gateway::Snapshot> snapshot) {
    snapshot_ = std::move(snapshot);
  }
  // Attempts ÷ requests of the last 60 s. Any thread.
  [[nodiscard]] double amplification() const noexcept { return ratio_.load(); }

 private:
  static void on_timer(void* self) noexcept;
  void tick();
  void watch_amplification();

  runtime::EventLoop& loop_;
  LogSink& log_;
  std::vector<const telemetry::GatewayMetrics*> metrics_;
  std::shared_ptr<const gateway::Snapshot> snapshot_;
  fleet::PaceKeeper pace_;
  control::Amplification amplification_;
  std::atomic<double> ratio_ = 0;
  runtime::Timer timer_;
};

}  // namespace penstock::app
