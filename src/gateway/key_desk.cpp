#include "gateway/key_desk.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "base/units.h"
#include "identity/key_demand.h"
#include "identity/key_set.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"

namespace penstock::gateway {

using identity::KeyDemand;
using runtime::Task;

// A request that waits. Shared with the post that wakes it, which may come when it has left.
struct KeyDesk::Call : std::enable_shared_from_this<Call> {
  Call(runtime::EventLoop& its_loop, std::optional<std::string> its_kid)
      : loop(its_loop), alarm(its_loop), kid(std::move(its_kid)) {}
  static void stop(void* self) noexcept { static_cast<Call*>(self)->alarm.wake_soon(); }

  runtime::EventLoop& loop;
  runtime::Alarm alarm;  // its worker's
  const std::optional<std::string> kid;
  // Guarded by the desk's mutex.
  bool full = false;
  bool told = false;           // it is not among those who wait any more
  std::uint64_t late_for = 0;  // the fetch that had begun before it came
};

KeyDesk::~KeyDesk() { PENSTOCK_ASSERT(waiting_.empty()); }

void KeyDesk::update(KeysInForce& mine) const {
  if (version_.load(std::memory_order_acquire) == mine.version) return;
  const std::lock_guard lock(mutex_);
  mine = keys_;
}

Task<KeyDesk::WaitEnd> KeyDesk::wait(runtime::EventLoop& loop, runtime::Cancellation& cancellation,
                                     std::optional<std::string> kid) {
  const auto call = std::make_shared<Call>(loop, std::move(kid));
  const TimePoint began = loop.clock().now();
  if (!join(call, began)) co_return call->full ? WaitEnd::kFull : WaitEnd::kLookAgain;
  const runtime::CancellationHook hook(cancellation, &Call::stop, call.get());
  if (!cancellation.requested())
    ignore(co_await call->alarm.until(began + kWaitMax), "the call's fate tells");
  const bool told = leave(*call);
  if (cancellation.requested()) co_return WaitEnd::kStopped;
  co_return told ? WaitEnd::kLookAgain : WaitEnd::kTime;
}

// False: there is nothing to wait for.
bool KeyDesk::join(const std::shared_ptr<Call>& call, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (!fetch_) return false;
  // It may have come since the worker looked.
  if (keys_.usable(now) && (!call->kid || keys_.set->knows(*call->kid))) return false;
  if (waiting_.size() == kWaitersMax) {
    call->full = true;
    return false;
  }
  const bool under_way = demand_.fetching();
  switch (demand_.on_unknown(call->kid, now)) {
    case KeyDemand::Advice::kRefuse: return false;
    case KeyDemand::Advice::kFetch: fetch_(); break;
    case KeyDemand::Advice::kWait: break;
  }
  call->late_for = under_way ? fetches_ : 0;
  waiting_.push_back(call);
  return true;
}

// Whether the call was told that a fetch has ended.
bool KeyDesk::leave(Call& call) {
  const std::lock_guard lock(mutex_);
  if (call.told) return true;
  std::erase_if(waiting_, [&](const std::shared_ptr<Call>& other) { return other.get() == &call; });
  return false;
}

// The mutex is held. The worker is told within it: a waiter cannot be gone, and its loop with it,
// before it has had the mutex too.
void KeyDesk::wake(Call& call) {
  call.told = true;
  call.loop.post([held = call.shared_from_this()] { held->alarm.wake(); });
}

void KeyDesk::open(std::function<void()> fetch) {
  const std::lock_guard lock(mutex_);
  fetch_ = std::move(fetch);
}

void KeyDesk::fetch_begins() {
  const std::lock_guard lock(mutex_);
  ++fetches_;
  demand_.on_fetch_begun();
}

bool KeyDesk::fetch_ended(std::shared_ptr<const identity::KeySet> set, TimePoint good_until,
                          TimePoint now) {
  const std::lock_guard lock(mutex_);
  const bool came = set != nullptr;
  demand_.on_fetch_ended(came ? KeyDemand::Fetch::kCame : KeyDemand::Fetch::kFailed);
  if (came) {
    keys_ = {.set = std::move(set), .good_until = good_until, .version = keys_.version + 1};
    version_.store(keys_.version, std::memory_order_release);
  }
  const auto served = [&](const Call& call) { return !call.kid || keys_.set->knows(*call.kid); };
  const auto was_late = [&](const std::shared_ptr<Call>& call) {
    return call->late_for == fetches_ && !served(*call);
  };
  // Those who came when the fetch had begun may be one publication ahead of it.
  const bool again = came && std::ranges::any_of(waiting_, was_late) && demand_.take_fetch(now);
  std::erase_if(waiting_, [&](const std::shared_ptr<Call>& call) {
    if (again && was_late(call)) return false;
    if (came && !served(*call)) demand_.remember(*call->kid);
    wake(*call);
    return true;
  });
  return again;
}

void KeyDesk::close() {
  const std::lock_guard lock(mutex_);
  fetch_ = nullptr;
  for (const std::shared_ptr<Call>& call : waiting_) wake(*call);
  waiting_.clear();
}

}  // namespace penstock::gateway
