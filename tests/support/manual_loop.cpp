#include "tests/support/manual_loop.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/units.h"

namespace penstock::test {
namespace {

constexpr std::size_t kTurnsMax = 10'000'000;  // more without time moving is a livelock

}  // namespace

ManualLoop::ManualLoop() { timers_.advance(clock_.now()); }

ManualLoop::~ManualLoop() { PENSTOCK_ASSERT(posted_.empty()); }

void ManualLoop::post(std::move_only_function<void()> work) { posted_.push_back(std::move(work)); }

void ManualLoop::run_until_idle() {
  std::size_t turns = 0;
  while (!posted_.empty()) {
    PENSTOCK_ASSERT(++turns < kTurnsMax);
    std::move_only_function<void()> work = std::move(posted_.front());
    posted_.pop_front();
    work();
  }
}

// Moves to the next wake; false when there is none up to `until`.
bool ManualLoop::step(TimePoint until) {
  const std::optional<TimePoint> next = timers_.next_wake();
  if (!next || *next > until) return false;
  clock_.move_to(*next);
  timers_.advance(clock_.now());
  run_until_idle();
  return true;
}

void ManualLoop::advance(Duration by) {
  const TimePoint until = clock_.now() + by;
  run_until_idle();
  while (step(until)) {
  }
  clock_.move_to(until);
  timers_.advance(until);
  run_until_idle();
}

bool ManualLoop::advance_until(const std::function<bool()>& done, Duration limit) {
  const TimePoint until = clock_.now() + limit;
  run_until_idle();
  while (!done()) {
    if (step(until)) continue;
    clock_.move_to(until);
    return false;
  }
  return true;
}

}  // namespace penstock::test
