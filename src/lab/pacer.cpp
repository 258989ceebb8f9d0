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

TimePoint ArrivalPlan::due(std::uint64_t number) const noexcept {
  return start +
         Duration(std::llround(static_cast<double>(number) * kNanosecondsPerSecond / per_second));
}

std::uint64_t ArrivalPlan::count_within(double per_second, Duration time) noexcept {
  const double count = per_second * static_cast<double>(time.count()) / kNanosecondsPerSecond;
  return static_cast<std::uint64_t>(std::ceil(count - 1e-9));
}

Pacer::Pacer(const Clock& clock, ArrivalPlan plan, Due due, std::function<void()> done)
    : thread_("pacer", [&clock, plan, due = std::move(due),
                        done = std::move(done)](const std::stop_token& stop) {
        for (std::uint64_t next = 0; next < plan.count && !stop.stop_requested();) {
          std::uint64_t end = next;
          const TimePoint now = clock.now();
          while (end < plan.count && plan.due(end) <= now) ++end;
          if (end == next)
            sleep(clock, plan.due(next), stop);
          else
            due(next, end);
          next = end;
        }
        done();
      }) {}

}  // namespace penstock::lab
