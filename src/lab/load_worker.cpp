#include "lab/load_worker.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/units.h"
#include "lab/load.h"
#include "lab/load_advice.h"
#include "lab/load_call.h"
#include "lab/load_record.h"
#include "lab/load_run.h"
#include "lab/pause.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"

namespace penstock::lab {

using runtime::Task;

namespace {

net::PoolOptions pool_options(const LoadOptions& options) {
  return {.connect = std::min<Duration>(options.timeout, 10s),
          .wait = options.timeout,
          .keep_alive = 60s};
}

}  // namespace

LoadWorker::LoadWorker(LoadRun& run, runtime::EventLoop& loop, net::Dialer& dialer)
    : run_(run),
      loop_(loop),
      pool_(loop, dialer, run.permits, {run.origin}, pool_options(run.options)),
      context_{.loop = loop,
               .pool = pool_,
               .cancellation = cancellation_,
               .request = run.target.request,
               .stream = run.options.stream},
      arrivals_over_(loop) {}

Task<void> LoadWorker::run_closed(std::uint32_t concurrency) {
  for (std::uint32_t i = 0; i < concurrency; ++i) calls_.spawn(repeat());
  co_await calls_.join();
  co_await pool_.close();
}

// A target that refuses at once must not keep the loop from everything else: after a failure the
// next request waits a little.
Task<void> LoadWorker::repeat() {
  constexpr Duration kAfterFailure = 10ms;
  runtime::Alarm rest(loop_);
  while (!run_.over() && !cancellation_.requested() && run_.take_ticket()) {
    const std::uint64_t failed = totals_.failed();
    co_await once(loop_.clock().now());
    if (totals_.failed() != failed) {
      const TimePoint due = loop_.clock().now() + kAfterFailure;
      co_await Pause(rest.until(due));
    }
  }
}

Task<void> LoadWorker::run_open() {
  co_await Pause(arrivals_over_.until(TimePoint::max()));
  co_await calls_.join();
  co_await pool_.close();
}

void LoadWorker::begin(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t number = first; number < last && !cancellation_.requested(); ++number) {
    if (!run_.take_ticket()) return;
    const TimePoint intended = run_.plan.due(number);
    if (calls_.running() < LoadRun::kUnderWayMax / run_.options.threads) {
      calls_.spawn(once(intended));
      continue;
    }
    LoadRecord record;
    record.end = LoadEnd::kNotSent;
    take(std::move(record), intended, loop_.clock().now() - intended);
  }
}

// Retries as SDKs do: while the reply advises it, after the wait that it names. Each attempt is a
// request of its own to the target, and a record.
Task<void> LoadWorker::once(TimePoint intended) {
  LoadAdvice advice = co_await attempt(intended, 1);
  runtime::Alarm rest(loop_);
  for (std::uint32_t number = 2; number <= run_.options.retries + 1 && advice.retry; ++number) {
    const TimePoint due = loop_.clock().now() + advice.wait_for(number - 1);
    if (due >= run_.end) co_return;
    co_await Pause(rest.until(due));
    if (cancellation_.requested()) co_return;
    advice = co_await attempt(due, number);
  }
}

Task<LoadAdvice> LoadWorker::attempt(TimePoint intended, std::uint32_t number) {
  const TimePoint begun = loop_.clock().now();
  const Duration leave = run_.options.abort_after;
  const LoadCallTimes times{
      .intended = intended,
      .due = std::min(begun + run_.options.timeout, run_.end + LoadRun::kDrainMax),
      .leave = leave == Duration::zero() ? TimePoint::max() : begun + leave};
  LoadCall call(context_, times);
  LoadRecord record = co_await call.run();
  record.attempt = number;
  const LoadAdvice advice = call.advice();
  take(std::move(record), intended, begun - intended);
  co_return advice;
}

void LoadWorker::take(LoadRecord record, TimePoint intended, Duration late) {
  if (!run_.measured(intended)) return;
  record.start = intended - run_.start;
  record.late = late;
  if (record.end == LoadEnd::kTimeout && loop_.clock().now() >= run_.end + LoadRun::kDrainMax)
    record.end = LoadEnd::kUnfinished;
  run_.ended.fetch_add(1, std::memory_order_relaxed);
  if (record.failed()) run_.failed.fetch_add(1, std::memory_order_relaxed);
  totals_.add(record);
  if (run_.records != nullptr) run_.records->write(json_line(record));
}

}  // namespace penstock::lab
