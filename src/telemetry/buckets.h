#pragma once

#include <array>

#include "base/units.h"

// Bucket bounds of the gateway's histograms, each a little over a factor of two apart where most
// values lie: an interpolated percentile is then off by less than that.
namespace penstock::telemetry {

// Model answers: from a mock's millisecond to the longest deadline.
inline constexpr std::array<Duration, 18> kLatencyBounds{1ms,   2500us, 5ms,   10ms, 25ms,   50ms,
                                                         100ms, 250ms,  500ms, 1s,   2500ms, 5s,
                                                         10s,   20s,    60s,   120s, 300s,   600s};

// The gateway's own time: tens of microseconds when all is well.
inline constexpr std::array<Duration, 16> kOverheadBounds{10us,  20us,  35us,  50us,  75us, 100us,
                                                          150us, 200us, 300us, 500us, 1ms,  2ms,
                                                          5ms,   20ms,  100ms, 1s};

// Waiting for a place: nothing at all, or up to a pool's `wait`.
inline constexpr std::array<Duration, 12> kWaitBounds{10us, 100us, 1ms,   5ms, 10ms,   25ms,
                                                      50ms, 100ms, 250ms, 1s,  2500ms, 10s};

}  // namespace penstock::telemetry
