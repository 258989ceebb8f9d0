#pragma once

#include <cstdint>

#include "base/field.h"
#include "base/units.h"
#include "control/tagged_count.h"

namespace penstock::control {

// What one provider may be sent again, process-wide: in the 10 s that end with any retry, retries
// ≤ max(3, budget × requests whose first attempt here began in those 10 s). A budget of 0 removes
// the floor too. Errs towards fewer: the slice in which the 10 s begin counts for retries and not
// for starts. Shared by all workers; never waits.
// source: docs/reference/endpoints.md.
class RetryBudget {
 public:
  // A request's first attempt at this provider begins.
  void started(TimePoint now) noexcept;
  // Takes credit for one retry; false when there is none.
  [[nodiscard]] bool take(Ratio budget, TimePoint now) noexcept;
  // Retries ÷ starts of the last 10 s, for the gauge; 0 without starts.
  [[nodiscard]] double ratio(TimePoint now) const noexcept;

 private:
  static constexpr std::uint32_t kWindowSlices = 10;  // of 1 s
  SliceRing<kWindowSlices + 1> starts_;
  SliceRing<kWindowSlices + 1> retries_;
};

}  // namespace penstock::control
