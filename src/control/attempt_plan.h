#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"
#include "control/decision.h"  // IWYU pragma: export

namespace penstock::control {

struct AttemptLimits {
  std::uint32_t attempts_max = 1;  // tries for one request, the first included
};

// Decides, for one client request, which attempt runs next. Pure: no I/O, no clock, no waiting; the
// driver in gateway/ is the only loop that sleeps and sends.
class AttemptPlan {
 public:
  AttemptPlan(AttemptLimits limits, std::size_t first_target) noexcept
      : limits_(limits), target_(first_target) {}

  [[nodiscard]] Decision begin() noexcept {
    ++attempts_;
    return Start{target_};
  }
  // After a failed attempt. Nothing is tried again once content reached the client.
  [[nodiscard]] Decision on_failure(Error error) {
    if (committed_ || attempts_ >= limits_.attempts_max) return Finish{std::move(error)};
    return begin();
  }
  // Content reached the client: no later failure may retry.
  void on_content() noexcept { committed_ = true; }
  [[nodiscard]] std::uint32_t attempts() const noexcept { return attempts_; }

 private:
  AttemptLimits limits_;
  std::size_t target_;
  std::uint32_t attempts_ = 0;
  bool committed_ = false;
};

}  // namespace penstock::control
