#pragma once

#include <cstdint>
#include <memory>

#include "lab/load_advice.h"
#include "lab/load_call.h"
#include "lab/load_run.h"
#include "lab/load_totals.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"

namespace penstock::lab {

// One thread's share of a run. Everything on its loop's thread.
class LoadWorker {
 public:
  // All outlive the worker.
  LoadWorker(LoadRun& run, runtime::EventLoop& loop, net::Dialer& dialer);
  LoadWorker(const LoadWorker&) = delete;
  LoadWorker& operator=(const LoadWorker&) = delete;

  // Closed loop: keeps `concurrency` requests under way until the run is over, then ends.
  [[nodiscard]] runtime::Task<void> run_closed(std::uint32_t concurrency);
  // Open loop: ends once no_more_arrivals() was called and the last request has ended.
  [[nodiscard]] runtime::Task<void> run_open();
  // Begins arrivals [first, last) of the run's plan.
  void begin(std::uint64_t first, std::uint64_t last);
  void no_more_arrivals() noexcept { arrivals_over_.wake(); }
  // Leaves everything that is under way.
  void stop() noexcept { cancellation_.request(runtime::StopReason::kShutdown); }

  [[nodiscard]] const LoadTotals& totals() const noexcept { return totals_; }

 private:
  [[nodiscard]] runtime::Task<void> repeat();
  [[nodiscard]] runtime::Task<void> once(TimePoint intended);
  [[nodiscard]] runtime::Task<LoadAdvice> attempt(TimePoint intended, std::uint32_t number);
  void take(LoadRecord record, TimePoint intended, Duration late);

  LoadRun& run_;
  runtime::EventLoop& loop_;
  net::ConnectionPool pool_;
  runtime::Cancellation cancellation_;
  LoadCallContext context_;
  runtime::Alarm arrivals_over_;
  runtime::TaskGroup calls_;
  LoadTotals totals_;
};

}  // namespace penstock::lab
