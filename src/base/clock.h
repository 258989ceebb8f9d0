#pragma once

#include "base/units.h"

namespace penstock {

// Tells the time. The real one lives in runtime/, a manual one in tests/support.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back. Cheap: at most one vDSO call.
  [[nodiscard]] virtual TimePoint now() const noexcept = 0;
  // UTC, for records; may jump.
  [[nodiscard]] virtual WallTime wall() const noexcept = 0;
};

}  // namespace penstock
