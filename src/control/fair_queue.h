#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "control/priority.h"

namespace penstock::control {

// A request that waits for a place under the process's ceiling.
struct Waiter {
  std::uint64_t id = 0;      // the caller's own
  std::uint32_t tenant = 0;  // a small index; requests of one tenant share one turn
  Priority priority = Priority::kStandard;
  TimePoint until{};  // the end of its patience: queue_wait or its deadline, what comes first
};

// Finds a waiter again without a search; holds no resource.
struct QueueTicket {
  std::uint32_t place = 0;
  std::uint64_t arrival = 0;
};

struct Offer {
  std::optional<QueueTicket> ticket;      // nullopt: refused
  std::optional<std::uint64_t> replaced;  // the waiter that lost its place to this one
};

// The bounded waiting room of admission. A freed place goes to the best class that waits, within it
// round robin over tenants, within a tenant to the oldest. The classes' shares hold for the queue's
// places too. A newcomer that finds no place takes that of the newest waiter of the tenant with
// most, if its own tenant has fewer and that waiter is of no better class.
//
// Not thread-safe: lives behind the admission's mutex. Memory for the places is taken once, at
// construction; a tenant's count when it first waits.
// cost: O(tenants that wait) per call; next() also passes what has expired and not left yet.
class FairQueue {
 public:
  explicit FairQueue(std::uint32_t places);

  [[nodiscard]] Offer offer(const Waiter& waiter);
  // Takes out whose turn it is, among classes of at least `lowest`: the caller knows from the
  // ceiling's shares which class may start. Those whose time is up are passed over.
  [[nodiscard]] std::optional<Waiter> next(TimePoint now, Priority lowest);
  // The waiter went away. False when it is no longer in the queue.
  [[nodiscard]] bool leave(const QueueTicket& ticket);

  // Whether somebody waits whose class is at least `lowest`.
  [[nodiscard]] bool any(Priority lowest) const noexcept;
  [[nodiscard]] std::uint32_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::uint32_t waiting_of(std::uint32_t tenant) const noexcept;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Place {
    Waiter waiter{};
    std::uint64_t arrival = 0;  // 0: free
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;  // in a free place: the next free one
  };
  // A tenant's waiters of one class, oldest first.
  struct Lane {
    std::uint32_t tenant = 0;
    std::uint32_t oldest = kNone;
    std::uint32_t newest = kNone;
  };
  using Lanes = std::vector<Lane>;  // in the order of turns

  [[nodiscard]] Lanes& lanes(Priority priority) noexcept {
    return lanes_[static_cast<std::size_t>(priority)];
  }
  [[nodiscard]] std::optional<std::uint32_t> to_replace(const Waiter& newcomer) const noexcept;
  [[nodiscard]] QueueTicket put(const Waiter& waiter);
  Waiter take(std::uint32_t place);

  std::vector<Place> places_;
  std::array<Lanes, kPriorityCount> lanes_;
  std::uint32_t free_ = kNone;
  std::uint32_t waiting_ = 0;
  std::vector<std::uint32_t> of_tenant_;  // how many of each wait, by tenant
  std::uint64_t arrivals_ = 0;
};

}  // namespace penstock::control
