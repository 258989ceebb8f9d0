#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace penstock::runtime {

class TimerWheel;

// One time-out. Belongs to one thread's wheel; disarms itself when it ends. Firing calls
// `fire(context)` once, with the timer already disarmed, so that it may be armed again there.
class Timer {
 public:
  using Fire = void (*)(void* context);
  Timer(TimerWheel& wheel, Fire fire, void* context) noexcept
      : wheel_(wheel), fire_(fire), context_(context) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { disarm(); }

  // Fires at `due` or up to one tick later; at once (next turn) when `due` has passed. Moving an
  // armed timer to a later time costs two stores.
  void arm(TimePoint due) noexcept;
  void disarm() noexcept;
  [[nodiscard]] bool armed() const noexcept { return tick_ != kNowhere; }

 private:
  friend class TimerWheel;
  static constexpr std::int64_t kNowhere = -1;
  static constexpr std::int64_t kExpiring = -2;  // in the list of a slot that is being looked at

  TimerWheel& wheel_;
  Fire fire_;
  void* context_;
  TimePoint due_{};
  Timer* next_ = nullptr;
  Timer* previous_ = nullptr;
  std::int64_t tick_ = kNowhere;  // that its slot stands for: the loop wakes for it at the latest
};

// A hashed timing wheel: 1,024 slots of 4 ms. Timers beyond one turn stay in their slot and are
// looked at once a turn. Reads no clock: whoever drives it says what time it is.
class TimerWheel {
 public:
  static constexpr Duration kTick = std::chrono::milliseconds(4);
  static constexpr std::size_t kSlots = 1024;

  // Told when a timer becomes due earlier than all before it, so that the loop can wake for it.
  using Earlier = void (*)(void* context, TimePoint due);
  void on_earlier(Earlier earlier, void* context) noexcept {
    earlier_ = earlier;
    earlier_context_ = context;
  }

  // Fires all that is due at `now`. May be called again from a firing timer's callees only by arm
  // and disarm.
  void advance(TimePoint now) noexcept;
  // When to call advance next: never later than the earliest due time plus a tick, and at least
  // once a turn while anything is armed; nullopt when nothing is.
  [[nodiscard]] std::optional<TimePoint> next_wake() const noexcept;
  [[nodiscard]] std::size_t armed() const noexcept { return armed_; }

 private:
  friend class Timer;
  [[nodiscard]] static std::int64_t tick_after(TimePoint at) noexcept;
  void link(Timer& timer, std::int64_t tick) noexcept;
  void unlink(Timer& timer) noexcept;

  [[nodiscard]] static std::size_t slot_of(const Timer& timer) noexcept {
    return timer.tick_ == Timer::kExpiring ? kExpiringSlot
                                           : static_cast<std::size_t>(timer.tick_) % kSlots;
  }
  static constexpr std::size_t kExpiringSlot = kSlots;
  void expire(std::size_t slot, TimePoint now) noexcept;

  std::array<Timer*, kSlots + 1> slots_{};
  std::array<std::uint64_t, kSlots / 64 + 1> occupied_{};
  std::int64_t current_ = 0;  // the last tick that was advanced over
  std::size_t armed_ = 0;
  std::optional<std::int64_t> wake_;  // the tick that the loop was told to wake at
  Earlier earlier_ = nullptr;
  void* earlier_context_ = nullptr;
};

}  // namespace penstock::runtime
