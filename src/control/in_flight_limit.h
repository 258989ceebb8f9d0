#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "control/priority.h"

namespace penstock::control {

class InFlightLimit;

// One request's place under a ceiling; given back when it ends. Move-only.
class Slot {
 public:
  Slot() = default;
  Slot(Slot&& other) noexcept : limit_(std::exchange(other.limit_, nullptr)) {}
  Slot& operator=(Slot&& other) noexcept {
    Slot taken(std::move(other));
    std::swap(limit_, taken.limit_);
    return *this;
  }
  ~Slot();

 private:
  friend class InFlightLimit;
  explicit Slot(InFlightLimit& limit) noexcept : limit_(&limit) {}
  InFlightLimit* limit_ = nullptr;
};

// A ceiling on what runs at once, shared by all workers. Never waits.
class InFlightLimit {
 public:
  explicit InFlightLimit(std::uint32_t limit) noexcept : limit_(limit) {}
  InFlightLimit(const InFlightLimit&) = delete;
  InFlightLimit& operator=(const InFlightLimit&) = delete;

  // nullopt when the ceiling is reached.
  [[nodiscard]] std::optional<Slot> enter() noexcept { return enter(Priority::kInteractive); }
  // nullopt when the share of the ceiling that this class may fill is reached.
  [[nodiscard]] std::optional<Slot> enter(Priority priority) noexcept {
    return enter_below(mark(limit(), priority));
  }
  // nullopt when so many are in.
  [[nodiscard]] std::optional<Slot> enter_below(std::uint32_t mark) noexcept {
    std::optional<Guest> guest = guest_below(mark);
    if (!guest) return std::nullopt;
    return std::move(guest->slot);
  }
  // One that is let in for now, for whoever asks elsewhere whether it may stay. `count`: how many
  // are in then, guests included.
  struct Guest {
    Slot slot;
    std::uint32_t count = 0;
  };
  // nullopt when so many are in.
  [[nodiscard]] std::optional<Guest> guest_below(std::uint32_t mark) noexcept {
    std::uint32_t now = in_flight_.load(std::memory_order_relaxed);
    do {
      if (now >= mark) return std::nullopt;
    } while (!in_flight_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
    return Guest{.slot = Slot(*this), .count = now + 1};
  }
  // Whatever the ceiling says.
  [[nodiscard]] Guest enter_anyway() noexcept {
    const std::uint32_t before = in_flight_.fetch_add(1, std::memory_order_relaxed);
    return {.slot = Slot(*this), .count = before + 1};
  }
  [[nodiscard]] std::uint32_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t limit() const noexcept {
    return limit_.load(std::memory_order_relaxed);
  }
  // Lowering it refuses newcomers only; whoever is in stays in.
  void set_limit(std::uint32_t limit) noexcept { limit_.store(limit, std::memory_order_relaxed); }
  // Whether enter(priority) would be refused just now.
  [[nodiscard]] bool full(Priority priority) const noexcept {
    return in_flight() >= mark(limit(), priority);
  }

 private:
  friend class Slot;
  std::atomic<std::uint32_t> limit_;
  std::atomic<std::uint32_t> in_flight_ = 0;
};

inline Slot::~Slot() {
  if (limit_ != nullptr) limit_->in_flight_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace penstock::control
