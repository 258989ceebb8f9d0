// The key desk under several workers at once: whatever meets whatever, nobody waits for ever, and
// what a worker has is a whole set.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "base/units.h"
#include "gateway/key_desk.h"
#include "identity/key_set.h"
#include "runtime/asio_loop.h"
#include "runtime/event_loop.h"
#include "runtime/next_turn.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/thread.h"
#include "tests/support/departure.h"
#include "tests/support/seeded_rng.h"
#include "tests/support/token_key.h"

namespace penstock::gateway {
namespace {

using runtime::Task;

constexpr std::uint32_t kWorkers = 4;
constexpr std::uint32_t kVisitors = 8;  // on each worker
constexpr std::uint32_t kVisits = 300;
constexpr std::size_t kKids = 40;

// Sets of one key under more and more names.
std::vector<std::shared_ptr<const identity::KeySet>> growing_sets() {
  const std::string parts = test::TokenKey(test::KeyType::kEd25519, "").parts();
  std::vector<std::shared_ptr<const identity::KeySet>> sets;
  std::string jwks;
  for (std::size_t i = 0; i < kKids; ++i) {
    jwks += (i == 0 ? "{" : ",{") + parts + R"(,"kid":"k)" + std::to_string(i) + "\"}";
    sets.push_back(std::make_shared<const identity::KeySet>(
        identity::KeySet::parse(R"({"keys":[)" + jwks + "]}").value()));
  }
  return sets;
}

struct Counts {
  std::array<std::atomic<std::uint32_t>, 4> by_end{};
  std::atomic<std::uint32_t> visitors = kWorkers * kVisitors;  // not at their end
  [[nodiscard]] std::uint32_t of(KeyDesk::WaitEnd end) const {
    return by_end[static_cast<std::size_t>(end)].load();
  }
};

class Worker {
 public:
  Worker(const Clock& clock, KeyDesk& desk, Counts& counts, std::uint64_t seed)
      : loop_(clock), desk_(desk), counts_(counts), rng_(seed) {}

  void start(std::latch& ended) {
    thread_ = runtime::Thread("worker", [this, &ended] {
      for (std::uint32_t i = 0; i < kVisitors; ++i) visitors_.spawn(visit_again_and_again());
      watch_.spawn(stop_at_end(ended));
      loop_.run();
    });
  }
  void stop() { loop_.stop(); }  // only when nobody posts to this loop any more

 private:
  Task<void> stop_at_end(std::latch& ended) {
    co_await visitors_.join();
    ended.count_down();
  }

  Task<void> visit_again_and_again() {
    for (std::uint32_t i = 0; i < kVisits; ++i) {
      co_await visit("k" + std::to_string(rng_.below(kKids * 5 / 4)));
      co_await runtime::NextTurn(loop_);
    }
    --counts_.visitors;
  }

  Task<void> visit(std::string kid) {
    desk_.update(mine_);
    if (mine_.set != nullptr && mine_.set->knows(kid)) co_return;
    test::Departure departure(loop_);
    if (rng_.below(2) == 0) departure.leave_at(loop_.clock().now());
    const KeyDesk::WaitEnd end =
        co_await desk_.wait(loop_, departure.cancellation(), std::move(kid));
    ++counts_.by_end[static_cast<std::size_t>(end)];
  }

  runtime::AsioLoop loop_;
  KeyDesk& desk_;
  Counts& counts_;
  test::SeededRng rng_;
  KeysInForce mine_;
  runtime::TaskGroup visitors_;
  runtime::TaskGroup watch_;
  runtime::Thread thread_;
};

// The control thread's part: one fetch after another, as fast as it can, until all have left.
class Control {
 public:
  Control(const Clock& clock, KeyDesk& desk, Counts& counts)
      : loop_(clock), desk_(desk), counts_(counts) {}

  void run() {
    desk_.open([this] { orders_.fetch_add(1); });
    group_.spawn(fetch_again_and_again());
    loop_.run();
    desk_.close();
  }
  [[nodiscard]] std::uint32_t orders() const noexcept { return orders_.load(); }

 private:
  Task<void> fetch_again_and_again() {
    const auto sets = growing_sets();
    for (std::size_t i = 0; counts_.visitors != 0; ++i) {
      desk_.fetch_begins();
      runtime::Alarm pause(loop_);
      ignore(co_await pause.until(loop_.clock().now() + 1ms), "the issuer's time");
      const TimePoint now = loop_.clock().now();
      const bool failed = i % 3 == 2;
      ignore(desk_.fetch_ended(failed ? nullptr : sets[i / 4 % kKids], now + 1h, now),
             "it fetches anyway");
    }
    loop_.stop();
  }

  runtime::AsioLoop loop_;
  KeyDesk& desk_;
  Counts& counts_;
  std::atomic<std::uint32_t> orders_ = 0;
  runtime::TaskGroup group_;
};

TEST(KeyDeskThreads, NobodyWaitsForEver) {
  const std::uint64_t seed = test::seed_of_test(20251130);
  SCOPED_TRACE(test::rerun_with(seed));
  const runtime::SystemClock clock;
  const TimePoint began = clock.now();
  KeyDesk desk;
  Counts counts;
  std::latch ended(kWorkers);
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint32_t i = 0; i < kWorkers; ++i)
    workers.push_back(std::make_unique<Worker>(clock, desk, counts, seed + i));
  Control control(clock, desk, counts);
  for (const auto& worker : workers) worker->start(ended);
  control.run();
  ended.wait();
  for (const auto& worker : workers) worker->stop();
  workers.clear();
  // Waits of a second end earlier: a fetch takes some milliseconds.
  EXPECT_EQ(counts.of(KeyDesk::WaitEnd::kTime), 0U);
  EXPECT_EQ(counts.of(KeyDesk::WaitEnd::kFull), 0U);
  EXPECT_GT(counts.of(KeyDesk::WaitEnd::kLookAgain), 0U);
  EXPECT_LE(control.orders(), 1 + (clock.now() - began) / 30s);
}

}  // namespace
}  // namespace penstock::gateway
