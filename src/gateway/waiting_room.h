#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/units.h"
#include "control/fair_queue.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "runtime/cancellation.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"

namespace penstock::gateway {

class WaitingRoom;

// A request's place under the process's ceiling. When it ends, whoever waits may have it.
// Move-only; belongs to its worker's thread.
class ProcessSlot {
 public:
  ProcessSlot() = default;
  ProcessSlot(ProcessSlot&& other) noexcept
      : room_(std::exchange(other.room_, nullptr)),
        clock_(other.clock_),
        slot_(std::move(other.slot_)) {}
  ProcessSlot& operator=(ProcessSlot&& other) noexcept {
    ProcessSlot taken(std::move(other));
    std::swap(room_, taken.room_);
    std::swap(clock_, taken.clock_);
    std::swap(slot_, taken.slot_);
    return *this;
  }
  ~ProcessSlot();

 private:
  friend class WaitingRoom;
  ProcessSlot(WaitingRoom& room, const Clock& clock, control::Slot slot) noexcept
      : room_(&room), clock_(&clock), slot_(std::move(slot)) {}

  WaitingRoom* room_ = nullptr;
  const Clock* clock_ = nullptr;
  control::Slot slot_;
};

// How a wait for a slot ended.
enum class WaitEnd : std::uint8_t {
  kSlot,
  kNoPlace,   // the queue had none for it: refused at once
  kReplaced,  // it lost its place to a newcomer of a tenant with fewer waiting
  kTime,      // `until` came
  kStopped,   // the request was told to stop
};

struct Waited {
  WaitEnd end = WaitEnd::kNoPlace;
  ProcessSlot slot = {};  // kSlot
  Duration waited{};
};

// The way to a place under the process's ceiling, through a bounded queue when it is full
// (`admission.queue`). Shared by all workers. The mutex is touched only when the ceiling is full or
// somebody waits.
//
// A freed slot is counted down first and then looked after: whoever frees one reads the number of
// waiters afterwards, and whoever comes to wait writes that number before looking at the ceiling
// once more. One of the two sees the other, so no waiter is forgotten. What is handed to a waiter
// is settled under the mutex before its worker is told by a post, so that a waiter which leaves at
// that moment finds the slot and gives it on.
class WaitingRoom {
 public:
  // places: of the queue; 0: none. The ceiling outlives this.
  WaitingRoom(control::InFlightLimit& ceiling, std::uint32_t places);
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;
  ~WaitingRoom();

  // A slot at once, or nullopt: the share of this class is taken, or others wait. Never blocks.
  [[nodiscard]] std::optional<ProcessSlot> enter(const Clock& clock, control::Priority priority);

  struct Guest {
    std::uint32_t tenant = 0;  // requests of one tenant share one turn
    control::Priority priority = control::Priority::kStandard;
    TimePoint until{};
  };
  // Waits for a slot on the worker of `loop`, until the time, or until told to stop.
  [[nodiscard]] runtime::Task<Waited> wait(runtime::EventLoop& loop,
                                           runtime::Cancellation& cancellation, Guest guest);

  // Gives slots that are free to those who wait: after the ceiling was raised. Any thread.
  void serve(TimePoint now);

  [[nodiscard]] std::uint32_t places() const noexcept { return places_; }
  [[nodiscard]] std::uint32_t waiting() const noexcept {
    return waiting_.load(std::memory_order_relaxed);
  }

 private:
  friend class ProcessSlot;
  struct Call;

  [[nodiscard]] std::optional<WaitEnd> join(const std::shared_ptr<Call>& call, const Guest& guest);
  [[nodiscard]] WaitEnd leave(Call& call);
  void serve_waiters(TimePoint now);
  [[nodiscard]] std::shared_ptr<Call> take_out(std::uint64_t id);
  void freed(const Clock& clock) noexcept;

  control::InFlightLimit& ceiling_;
  const std::uint32_t places_;
  std::atomic<std::uint32_t> waiting_ = 0;  // written under the mutex
  std::mutex mutex_;                        // guards what follows and the fate of each call
  control::FairQueue queue_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Call>> calls_;  // those in the queue
  std::uint64_t last_id_ = 0;
};

inline ProcessSlot::~ProcessSlot() {
  if (room_ == nullptr) return;
  slot_ = control::Slot();
  room_->freed(*clock_);
}

}  // namespace penstock::gateway
