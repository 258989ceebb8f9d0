#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {

// Attempts ÷ requests: what this layer adds to the load of its providers. Told of both totals about
// once a second, it keeps the ratio of the last 60 s and says once when that has been too high for
// 60 s. Owned by one ticker.
// source: docs/reference/endpoints.md.
class Amplification {
 public:
  static constexpr double kTooHigh = 1.3;
  static constexpr Duration kFor = 60s;
  static constexpr std::size_t kSeconds = 60;

  enum class Event : std::uint8_t { kNone, kTooHigh, kOver };

  // The totals since the start of the process; they never fall.
  [[nodiscard]] Event tick(std::uint64_t requests, std::uint64_t attempts, TimePoint now) noexcept;
  // Of the last 60 s; 0 without requests.
  [[nodiscard]] double ratio() const noexcept { return ratio_; }

 private:
  struct Totals {
    std::uint64_t requests = 0;
    std::uint64_t attempts = 0;
  };
  std::array<Totals, kSeconds + 1> ring_{};
  std::size_t ticks_ = 0;
  double ratio_ = 0;
  TimePoint high_since_{};
  bool high_ = false;
  bool told_ = false;
};

}  // namespace penstock::control
