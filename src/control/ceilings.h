#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "control/in_flight_limit.h"
#include "control/priority.h"

namespace penstock::control {

// One request's places under all its ceilings; given back together. Move-only.
class Slots {
 public:
  static constexpr std::size_t kSlotsMax = 4;

  // At most kSlotsMax.
  void add(Slot slot) noexcept;

 private:
  std::array<Slot, kSlotsMax> slots_;
  std::size_t count_ = 0;
};

struct Entrance {
  std::optional<Slots> slots;  // nullopt: refused, and nothing is held
  std::size_t refused_by = 0;  // which ceiling, in the order they were added; when refused
};

// The ceilings on what one request adds to what runs at once, innermost first (workload, tenant,
// process). All let it in or none does. A view for the length of one decision.
class Ceilings {
 public:
  // At most Slots::kSlotsMax.
  // as: how far the request may fill it; kInteractive where its class has no share.
  void add(InFlightLimit& limit, Priority as) noexcept;

  [[nodiscard]] Entrance enter() noexcept;

 private:
  struct Link {
    InFlightLimit* limit = nullptr;
    Priority as = Priority::kInteractive;
  };
  std::array<Link, Slots::kSlotsMax> links_{};
  std::size_t count_ = 0;
};

}  // namespace penstock::control
