#include "control/emergency.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/units.h"
#include "control/rate_bucket.h"

namespace penstock::control {
namespace {

using Wide = unsigned __int128;
constexpr std::uint64_t kWhole = 1'000'000;  // a ratio's parts

std::uint64_t part_of(std::uint64_t units, const EmergencyPart& part) noexcept {
  return static_cast<std::uint64_t>(Wide{units} * part.share.ppm / (Wide{kWhole} * part.gateways));
}

}  // namespace

std::optional<BucketShape> emergency_shape(const Rate& rate, const EmergencyPart& part) noexcept {
  if (part.share.ppm == 0) return std::nullopt;
  // units × share per (length × gateways), brought down to what the two can hold.
  Wide units = Wide{rate.units} * part.share.ppm;
  Wide per = static_cast<Wide>(rate.per.count()) * kWhole * part.gateways;
  while (per > std::numeric_limits<std::int64_t>::max() ||
         units > std::numeric_limits<std::uint64_t>::max()) {
    per /= 2;
    units /= 2;
  }
  return BucketShape({.units = std::max<std::uint64_t>(static_cast<std::uint64_t>(units), 1),
                      .per = Duration(static_cast<std::int64_t>(per)),
                      .burst = std::max<std::uint64_t>(part_of(rate.burst, part), 1)});
}

std::uint32_t emergency_ceiling(std::uint32_t ceiling, const EmergencyPart& part) noexcept {
  if (part.share.ppm == 0) return 0;
  return std::max<std::uint32_t>(static_cast<std::uint32_t>(part_of(ceiling, part)), 1);
}

}  // namespace penstock::control
