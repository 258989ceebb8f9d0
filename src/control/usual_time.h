#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/units.h"

namespace penstock::control {

// How long a replica usually takes to its first content, as a moving average over its good answers
// with a weight of 1/8 for the newest. Failures say nothing here. One atomic word, shared by all
// workers.
// source: the weight is that of TCP's smoothed round-trip time, RFC 6298 section 2.
class UsualTime {
 public:
  void observe(Duration took) noexcept {
    const std::int64_t us = std::chrono::floor<std::chrono::microseconds>(took).count() + 1;
    std::int64_t before = us_.load(std::memory_order_relaxed);
    std::int64_t after = 0;
    do {
      after = before == 0 ? us : before + (us - before) / 8;
    } while (!us_.compare_exchange_weak(before, after, std::memory_order_relaxed));
  }
  // 0 without any answer.
  [[nodiscard]] Duration value() const noexcept {
    return std::chrono::microseconds(us_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::int64_t> us_ = 0;
};

}  // namespace penstock::control
