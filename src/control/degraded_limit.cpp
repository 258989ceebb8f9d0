#include "control/degraded_limit.h"

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {
namespace {

constexpr std::uint32_t kWhole = 1'000'000;
constexpr std::uint32_t kFloor = kWhole / 10;
constexpr std::uint32_t kStepUp = kWhole / 10;
constexpr Duration kFallEvery = 1s;
constexpr Duration kRiseEvery = 10s;

}  // namespace

void DegradedLimit::tick(ProviderPace pace, TimePoint now) noexcept {
  if (pace_ == ProviderPace::kDegraded) {
    for (; now - stepped_at_ >= kFallEvery && share_.ppm > kFloor; stepped_at_ += kFallEvery)
      share_.ppm = std::max(kFloor, share_.ppm / 10 * 9);
  } else {
    for (; now - stepped_at_ >= kRiseEvery && share_.ppm < kWhole; stepped_at_ += kRiseEvery)
      share_.ppm = std::min(kWhole, share_.ppm + kStepUp);
  }
  if (pace == pace_) return;
  pace_ = pace;
  stepped_at_ = now;
}

std::uint32_t DegradedLimit::of(std::uint32_t configured) const noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{configured} * share_.ppm + kWhole - 1) / kWhole);
}

}  // namespace penstock::control
