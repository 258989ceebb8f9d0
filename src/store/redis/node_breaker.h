#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"
#include "store/redis/outage.h"

namespace penstock::store::redis {

// Whether a node is left alone. Pure: no clock, no I/O. While it is open nothing is asked; whoever
// owns it probes the node and closes it.
// source: reliability.md 2.4 (5 failures or 250 ms of time-outs).
class NodeBreaker {
 public:
  static constexpr std::uint32_t kFailuresMax = 5;  // in a row
  static constexpr Duration kTimeOutsMax = 250ms;   // from the first of them, nothing good between

  [[nodiscard]] bool open() const noexcept { return open_; }

  // A reply came that says the node is well.
  void succeeded() noexcept {
    failures_ = 0;
    time_outs_since_.reset();
  }
  // began: when what failed began. Returns true when the breaker opens by it.
  [[nodiscard]] bool failed(OutageReason why, TimePoint began, TimePoint now) noexcept {
    if (open_) return false;
    ++failures_;
    if (why == OutageReason::kTimedOut && !time_outs_since_) time_outs_since_ = began;
    const bool timed_out_long = time_outs_since_ && now - *time_outs_since_ >= kTimeOutsMax;
    open_ = failures_ >= kFailuresMax || timed_out_long;
    return open_;
  }
  // A probe got its answer.
  void close() noexcept {
    open_ = false;
    succeeded();
  }

 private:
  bool open_ = false;
  std::uint32_t failures_ = 0;
  std::optional<TimePoint> time_outs_since_;
};

}  // namespace penstock::store::redis
