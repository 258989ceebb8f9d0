#pragma once

#include <cstdint>

#include "base/field.h"
#include "base/units.h"

namespace penstock::control {

// Whether a provider's slow rate is at least half of its breaker's `rate`.
enum class ProviderPace : std::uint8_t { kSound, kDegraded };

// How much of its configured in-flight limit a provider may use: × 0.9 for each full second that it
// is degraded, down to 10 %; + 10 % (of the whole) for each 10 s that it is sound. Owned by one
// ticker, which writes the outcome to the shared limit.
class DegradedLimit {
 public:
  // Call about once a second. Time missed between calls counts as spent in the pace told last.
  void tick(ProviderPace pace, TimePoint now) noexcept;

  [[nodiscard]] Ratio share() const noexcept { return share_; }
  // The limit in force: at least 1 when `configured` is.
  [[nodiscard]] std::uint32_t of(std::uint32_t configured) const noexcept;
  // While degraded, `batch` is not eligible here.
  [[nodiscard]] ProviderPace pace() const noexcept { return pace_; }

 private:
  Ratio share_{1'000'000};
  ProviderPace pace_ = ProviderPace::kSound;
  TimePoint stepped_at_{};  // when the share last moved, or the pace changed
};

}  // namespace penstock::control
