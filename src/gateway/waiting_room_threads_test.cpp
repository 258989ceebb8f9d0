// The waiting room under several workers at once: whatever meets whatever, no slot is lost, nobody
// is forgotten, and turns are fair.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/units.h"
#include "control/in_flight_limit.h"
#include "control/priority.h"
#include "gateway/waiting_room.h"
#include "runtime/asio_loop.h"
#include "runtime/next_turn.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"
#include "tests/support/departure.h"
#include "tests/support/seeded_rng.h"

namespace penstock::gateway {
namespace {

using control::Priority;
using runtime::Task;

constexpr std::uint32_t kWorkers = 4;
constexpr std::uint32_t kTenants = 4;
constexpr Duration kForEver = 1h;  // a waiter that is forgotten hangs the test

// What came of the visits, over all workers.
struct Counts {
  std::array<std::atomic<std::uint32_t>, 5> by_end{};
  std::array<std::atomic<std::uint32_t>, kTenants> served{};
  std::atomic<std::uint32_t> entered = 0;  // without waiting
  std::atomic<std::uint32_t> inside = 0;
  std::atomic<std::uint32_t> counting = 0;  // visitors with a number of visits
  std::atomic<std::uint32_t> most_inside = 0;
  std::atomic<std::uint32_t> most_waiting = 0;

  [[nodiscard]] std::uint32_t of(WaitEnd end) const {
    return by_end[static_cast<std::size_t>(end)].load();
  }
  static void raise(std::atomic<std::uint32_t>& highest, std::uint32_t value) {
    std::uint32_t seen = highest.load();
    while (seen < value && !highest.compare_exchange_weak(seen, value)) {
    }
  }
};

// How one visitor behaves, again and again.
struct Habit {
  std::uint32_t visits = 0;  // 0: for as long as somebody counts theirs
  std::uint32_t tenant = 0;
  Priority priority = Priority::kInteractive;
  std::uint32_t impatience = 0;  // of 100: gives up or is cancelled within some milliseconds
};

class Worker {
 public:
  Worker(const Clock& clock, WaitingRoom& room, Counts& counts, std::uint64_t seed)
      : loop_(clock), room_(room), counts_(counts), rng_(seed) {}

  void start(std::vector<Habit> habits, std::latch& ended) {
    thread_ = runtime::Thread("visitors", [this, habits = std::move(habits), &ended] {
      for (const Habit& habit : habits) group_.spawn(visit_again_and_again(habit));
      watch_.spawn(stop_at_end(ended));
      loop_.run();
    });
  }
  // Only when every worker's visits have ended: others may still post to this loop before.
  void stop() { loop_.stop(); }

 private:
  Task<void> stop_at_end(std::latch& ended) {
    co_await group_.join();
    ended.count_down();
  }

  Task<void> visit_again_and_again(Habit habit) {
    for (std::uint32_t i = 0; habit.visits != 0 ? i < habit.visits : counts_.counting != 0; ++i) {
      co_await visit(habit);
      co_await runtime::NextTurn(loop_);
    }
    if (habit.visits != 0) --counts_.counting;
  }

  Task<void> visit(Habit habit) {
    if (std::optional<ProcessSlot> slot = room_.enter(loop_.clock(), habit.priority)) {
      ++counts_.entered;
      co_await stay(habit.tenant);
      co_return;
    }
    test::Departure departure(loop_);
    const TimePoint now = loop_.clock().now();
    TimePoint until = now + kForEver;
    if (rng_.below(100) < habit.impatience) {
      const TimePoint soon = now + Duration(1us) * static_cast<std::int64_t>(rng_.below(9000));
      if (rng_.below(2) == 0)
        until = soon;
      else
        departure.leave_at(soon);
    }
    const WaitingRoom::Guest guest{habit.tenant, habit.priority, until};
    Waited waited = co_await room_.wait(loop_, departure.cancellation(), guest);
    ++counts_.by_end[static_cast<std::size_t>(waited.end)];
    if (waited.end == WaitEnd::kSlot) co_await stay(habit.tenant);
  }

  // A slot is held for a few turns of the loop.
  Task<void> stay(std::uint32_t tenant) {
    Counts::raise(counts_.most_inside, ++counts_.inside);
    Counts::raise(counts_.most_waiting, room_.waiting());
    for (std::uint64_t turns = rng_.below(3) + 1; turns > 0; --turns)
      co_await runtime::NextTurn(loop_);
    ++counts_.served[tenant];
    --counts_.inside;
  }

  runtime::AsioLoop loop_;
  WaitingRoom& room_;
  Counts& counts_;
  test::SeededRng rng_;
  runtime::TaskGroup group_;
  runtime::TaskGroup watch_;
  runtime::Thread thread_;
};

class WaitingRoomThreads : public testing::Test {
 protected:
  // Runs the habits of each worker to their end.
  void play(WaitingRoom& room, const std::function<std::vector<Habit>(std::uint32_t)>& habits) {
    const std::uint64_t seed = test::seed_of_test(20250607);
    SCOPED_TRACE(test::rerun_with(seed));
    const runtime::SystemClock clock;
    std::latch ended(kWorkers);
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::uint32_t i = 0; i < kWorkers; ++i)
      for (const Habit& habit : habits(i)) counts_.counting += habit.visits != 0 ? 1U : 0U;
    for (std::uint32_t i = 0; i < kWorkers; ++i)
      workers.push_back(std::make_unique<Worker>(clock, room, counts_, seed + i));
    for (std::uint32_t i = 0; i < kWorkers; ++i) workers[i]->start(habits(i), ended);
    ended.wait();
    for (const auto& worker : workers) worker->stop();
  }
  Counts counts_;
};

// 24,000 visits, of which some give up, are cancelled, replaced or refused, at any moment.
TEST_F(WaitingRoomThreads, EverySlotComesBackAndNobodyIsForgotten) {
  constexpr std::uint32_t kCeiling = 6;
  constexpr std::uint32_t kPlaces = 24;
  constexpr std::uint32_t kVisits = 400;
  control::InFlightLimit ceiling(kCeiling);
  WaitingRoom room(ceiling, kPlaces);
  play(room, [](std::uint32_t worker) {
    std::vector<Habit> habits;
    for (std::uint32_t i = 0; i < 15; ++i)
      habits.push_back({.visits = kVisits,
                        .tenant = (i * i + worker) % kTenants,
                        .priority = static_cast<Priority>(i % control::kPriorityCount),
                        .impatience = i % 2 == 0 ? 60U : 0U});
    return habits;
  });
  EXPECT_EQ(ceiling.in_flight(), 0U);
  EXPECT_EQ(room.waiting(), 0U);
  EXPECT_LE(counts_.most_inside.load(), kCeiling);
  EXPECT_LE(counts_.most_waiting.load(), kPlaces);
  std::uint32_t visits = counts_.entered;
  for (const auto& count : counts_.by_end) visits += count;
  EXPECT_EQ(visits, kWorkers * 15 * kVisits);
  // The test would show nothing without these. Which of the early departures happen depends on how
  // the threads are scheduled; on one CPU some do not.
  EXPECT_GT(counts_.of(WaitEnd::kSlot), 0U);
  EXPECT_GT(counts_.of(WaitEnd::kNoPlace) + counts_.of(WaitEnd::kReplaced) +
                counts_.of(WaitEnd::kTime) + counts_.of(WaitEnd::kStopped),
            0U);
}

// Of 38 visitors 32 are the noisy tenant's. First come, first served would give it 84 % of the
// turns; it gets some 40 %, or 65 % on one CPU: more than the fair 25 % only because the others'
// are not always there.
TEST_F(WaitingRoomThreads, ANoisyTenantDoesNotStarveTheOthers) {
  constexpr std::uint32_t kVisits = 600;
  control::InFlightLimit ceiling(2);
  WaitingRoom room(ceiling, 100);
  play(room, [](std::uint32_t worker) {
    std::vector<Habit> habits;
    if (worker < 3) habits.assign(2, {.visits = kVisits, .tenant = worker + 1});
    habits.resize(habits.size() + 8);
    return habits;
  });
  EXPECT_EQ(ceiling.in_flight(), 0U);
  for (std::uint32_t tenant = 1; tenant < kTenants; ++tenant)
    EXPECT_EQ(counts_.served[tenant].load(), 2 * kVisits);
  const double all = 3.0 * 2 * kVisits + counts_.served[0];
  EXPECT_LT(counts_.served[0] / all, 0.75);
  RecordProperty("noisy_percent", static_cast<int>(100 * counts_.served[0] / all));
}

}  // namespace
}  // namespace penstock::gateway
