#include "gateway/waiting_room.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "control/fair_queue.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"

namespace penstock::gateway {

using control::Priority;
using runtime::Task;

// A request that waits. Shared with the post that wakes it, which may come when it has left.
struct WaitingRoom::Call {
  explicit Call(runtime::EventLoop& its_loop) : loop(its_loop), alarm(its_loop) {}
  static void stop(void* self) noexcept { static_cast<Call*>(self)->alarm.wake_soon(); }

  runtime::EventLoop& loop;
  runtime::Alarm alarm;  // its worker's
  // Guarded by the room's mutex.
  std::optional<WaitEnd> fate;  // nullopt: still in the queue
  control::QueueTicket ticket;
  std::uint64_t id = 0;
  std::optional<control::Slot> slot;  // handed over
};

WaitingRoom::WaitingRoom(control::InFlightLimit& ceiling, std::uint32_t places)
    : ceiling_(ceiling), places_(places), queue_(places) {
  calls_.reserve(places);
}

WaitingRoom::~WaitingRoom() { PENSTOCK_ASSERT(calls_.empty()); }

std::optional<ProcessSlot> WaitingRoom::enter(const Clock& clock, Priority priority) {
  if (waiting() != 0) return std::nullopt;  // a free slot is theirs
  std::optional<control::Slot> slot = ceiling_.enter(priority);
  if (!slot) return std::nullopt;
  return ProcessSlot(*this, clock, *std::move(slot));
}

Task<Waited> WaitingRoom::wait(runtime::EventLoop& loop, runtime::Cancellation& cancellation,
                               Guest guest) {
  Waited waited;
  const auto call = std::make_shared<Call>(loop);
  const TimePoint began = loop.clock().now();
  if (const std::optional<WaitEnd> at_once = join(call, guest)) {
    waited.end = *at_once;
  } else {
    const runtime::CancellationHook hook(cancellation, &Call::stop, call.get());
    if (!cancellation.requested())
      ignore(co_await call->alarm.until(guest.until), "the call's fate tells");
    waited.end = leave(*call);
    waited.waited = loop.clock().now() - began;
  }
  if (call->slot) waited.slot = ProcessSlot(*this, loop.clock(), *std::move(call->slot));
  // A slot that came too late is given on when `waited` ends.
  if (cancellation.requested()) waited.end = WaitEnd::kStopped;
  co_return waited;
}

// What is known without waiting; nullopt: the call is in the queue.
std::optional<WaitEnd> WaitingRoom::join(const std::shared_ptr<Call>& call, const Guest& guest) {
  const std::lock_guard lock(mutex_);
  // Those who wait may be of a class whose share is taken, while that of this one is not.
  if (!queue_.any(guest.priority)) {
    call->slot = ceiling_.enter(guest.priority);
    if (call->slot) return WaitEnd::kSlot;
  }
  call->id = ++last_id_;
  const control::Offer offer = queue_.offer(
      {.id = call->id, .tenant = guest.tenant, .priority = guest.priority, .until = guest.until});
  if (!offer.ticket) return WaitEnd::kNoPlace;
  call->ticket = *offer.ticket;
  calls_.emplace(call->id, call);
  if (offer.replaced) {
    const std::shared_ptr<Call> loser = take_out(*offer.replaced);
    loser->fate = WaitEnd::kReplaced;
    loser->loop.post([loser] { loser->alarm.wake(); });
  }
  waiting_.store(queue_.waiting(), std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // see freed()
  serve_waiters(call->loop.clock().now());
  return std::nullopt;
}

WaitEnd WaitingRoom::leave(Call& call) {
  const std::lock_guard lock(mutex_);
  if (call.fate) return *call.fate;
  const bool was_there = queue_.leave(call.ticket);
  PENSTOCK_ASSERT(was_there);
  calls_.erase(call.id);
  waiting_.store(queue_.waiting(), std::memory_order_relaxed);
  return WaitEnd::kTime;
}

std::shared_ptr<WaitingRoom::Call> WaitingRoom::take_out(std::uint64_t id) {
  auto node = calls_.extract(id);
  PENSTOCK_ASSERT(!node.empty());
  return std::move(node.mapped());
}

void WaitingRoom::freed(const Clock& clock) noexcept {
  if (places_ == 0) return;
  // Between the slot's return and this look at the waiters nothing may be reordered, as nothing may
  // be in join() between the waiter's being seen and its look at the ceiling.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (waiting() != 0) serve(clock.now());
}

void WaitingRoom::serve(TimePoint now) {
  const std::lock_guard lock(mutex_);
  serve_waiters(now);
}

// The mutex is held. The worker is told within it: a waiter cannot be gone, and its loop with it,
// before it has had the mutex too.
void WaitingRoom::serve_waiters(TimePoint now) {
  for (const Priority lowest : {Priority::kBatch, Priority::kStandard, Priority::kInteractive}) {
    while (queue_.any(lowest)) {
      std::optional<control::Slot> slot = ceiling_.enter(lowest);
      if (!slot) break;
      const std::optional<control::Waiter> next = queue_.next(now, lowest);
      if (!next) break;  // those who are left are about to leave
      const std::shared_ptr<Call> call = take_out(next->id);
      call->slot = std::move(slot);
      call->fate = WaitEnd::kSlot;
      call->loop.post([call] { call->alarm.wake(); });
    }
  }
  waiting_.store(queue_.waiting(), std::memory_order_relaxed);
}

}  // namespace penstock::gateway
