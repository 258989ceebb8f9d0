#include "runtime/rest.h"

#include "base/units.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::runtime {

Task<bool> rest_until(EventLoop& loop, Cancellation& cancellation, TimePoint until) {
  if (cancellation.requested()) co_return false;
  Alarm alarm(loop);
  const CancellationHook hook(
      cancellation, [](void* sleeper) { static_cast<Alarm*>(sleeper)->wake_soon(); }, &alarm);
  co_return !co_await alarm.until(until);
}

}  // namespace penstock::runtime
