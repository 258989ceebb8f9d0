#include "lab/pacer.h"

#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::lab {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;

// Sleeps until `due` or until told to stop.
void sleep(const Clock& clock, TimePoint due, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  ignore(never.wait_for(lock, stop, due - clock.now(), [] { return false; }), "asked for below");
}

}  // namespace

std::uint64_t RatePhase::count() const noexcept {
  const double due = per_second * static_cast<double>(time.count()) / kNanosecondsPerSecond;
  return static_cast<std::uint64_t>(std::ceil(due - 1e-9));
}

TimePoint ArrivalPlan::due(std::uint64_t number) const noexcept {
  TimePoint from = start;
  for (const RatePhase& phase : phases) {
    if (number < phase.count())
      return from + Duration(std::llround(static_cast<double>(number) * kNanosecondsPerSecond /
                                          phase.per_second));
    number -= phase.count();
    from += phase.time;
  }
  return TimePoint::max();
}

std::uint64_t ArrivalPlan::count() const noexcept {
  std::uint64_t sum = 0;
  for (const RatePhase& phase : phases) sum += phase.count();
  return sum;
}

Pacer::Pacer(const Clock& clock, const ArrivalPlan& plan, Due due, std::function<void()> done)
    : thread_("pacer", [&clock, &plan, count = plan.count(), due = std::move(due),
                        done = std::move(done)](const std::stop_token& stop) {
        for (std::uint64_t next = 0; next < count && !stop.stop_requested();) {
          std::uint64_t end = next;
          const TimePoint now = clock.now();
          while (end < count && plan.due(end) <= now) ++end;
          if (end == next)
            sleep(clock, plan.due(next), stop);
          else
            due(next, end);
          next = end;
        }
        done();
      }) {}

}  // namespace penstock::lab
