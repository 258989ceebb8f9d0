#include "lab/runner/bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string_view>

#include <poll.h>

#include <fmt/format.h>

#include "base/error_code.h"
#include "base/result.h"
#include "base/units.h"

namespace penstock::lab {
namespace {

constexpr Duration kLook = 20ms;  // how often a stop is looked for

// A thread that runs a script may block; there is no loop here to hold up.
void block(Duration time) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  ignore(::poll(nullptr, 0, static_cast<int>(whole)), "only the time matters");
}

}  // namespace

void Bench::say(std::string_view text) const {
  fmt::print(stderr, "lab  {:<12} {}\n", experiment, text);
  std::fflush(stderr);
}

Result<void> Bench::wait(Duration time) const {
  PENSTOCK_TRY(const bool asked, until(time, [] { return false; }, kLook));
  ignore(asked, "it never is");
  return {};
}

Result<bool> Bench::until(Duration at_most, const std::function<bool()>& done,
                          Duration step) const {
  const TimePoint end = clock.now() + at_most;
  while (!stopped.load(std::memory_order_relaxed)) {
    if (done()) return true;
    const Duration left = end - clock.now();
    if (left <= Duration::zero()) return false;
    block(std::min(left, step));
  }
  return fail(ErrorCode::kInternal, "it was told to stop");
}

std::int64_t Bench::now_us() const noexcept {
  return std::chrono::floor<std::chrono::microseconds>(clock.now().time_since_epoch()).count();
}

}  // namespace penstock::lab
