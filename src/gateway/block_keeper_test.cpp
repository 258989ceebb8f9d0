#include "gateway/block_keeper.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/result.h"
#include "base/units.h"
#include "control/epoch_watch.h"
#include "control/in_flight_limit.h"
#include "gateway/caller_limits.h"
#include "gateway/shared_limits.h"
#include "gateway/snapshot.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/quota_store.h"
#include "tests/support/manual_loop.h"

namespace penstock::gateway {
namespace {

using runtime::Task;

// Grants everything, in a while.
class SlowStore final : public store::QuotaStore {
 public:
  explicit SlowStore(runtime::EventLoop& loop) noexcept : loop_(loop) {}
  Task<std::optional<store::QuotaAnswer>> take(const store::QuotaAsk& ask, TimePoint) override {
    told.emplace_back(ask.ceilings[0].key);
    wants += ask.ceilings[0].want;
    most_at_once = std::max(most_at_once, ++at_once_);
    store::QuotaAnswer answer;
    answer.epoch = {.id = epoch, .sequence = 1};
    answer.grants[0] = {.version = ask.ceilings[0].version, .granted = ask.ceilings[0].want};
    runtime::Alarm alarm(loop_);
    ignore(co_await alarm.until(loop_.clock().now() + 40ms), "nobody wakes it");
    --at_once_;
    co_return answer;
  }
  void settle(const store::QuotaSettlement&) noexcept override {}
  bool available(std::string_view) const noexcept override { return true; }

  std::vector<std::string> told;
  std::uint64_t wants = 0;
  std::size_t most_at_once = 0;
  std::uint64_t epoch = 7;

 private:
  runtime::EventLoop& loop_;
  std::size_t at_once_ = 0;
};

class BlockKeeperTest : public testing::Test {
 protected:
  static std::string name_of(std::size_t tenant) { return "t" + std::to_string(tenant); }
  // So many tenants with a ceiling and a call in flight each.
  void begin(std::size_t tenants) {
    auto snapshot = std::make_shared<Snapshot>();
    for (std::size_t i = 0; i < tenants; ++i) {
      CallerLimits& limits = snapshot->tenants[name_of(i)].limits;
      limits.in_flight = 10;
      auto shared = std::make_shared<SharedLimits>();
      shared->in_flight_key = name_of(i);
      limits.shared = std::move(shared);
      running_.push_back(limits.state->in_flight.enter_anyway());
      states_.push_back(limits.state);
    }
    keeper_ = std::make_unique<BlockKeeper>(loop_, store_, std::move(snapshot));
    keeper_->start();
    loop_.advance(2s);
    store_.told.clear();
  }
  void TearDown() override {
    store_.wants = 0;
    runtime::TaskGroup closing;
    closing.spawn(keeper_->close());
    loop_.advance(2s);
    EXPECT_EQ(closing.running(), 0U);
    EXPECT_EQ(store_.wants, 0U);  // everything went back
  }

  test::ManualLoop loop_;
  SlowStore store_{loop_};
  std::vector<std::shared_ptr<LimitState>> states_;
  std::vector<control::InFlightLimit::Guest> running_;  // in them
  std::unique_ptr<BlockKeeper> keeper_;
};

// A thousand busy ceilings at a store that takes 40 ms: one after the other they would take 40 s,
// and their blocks be gone by then.
TEST_F(BlockKeeperTest, RenewsManyCeilingsAtOnceAndNotAllOfThem) {
  begin(1000);
  loop_.advance(6s);
  std::ranges::sort(store_.told);
  EXPECT_EQ(store_.told.size(), 1000U);
  EXPECT_EQ(std::ranges::unique(store_.told).size(), 0U);
  EXPECT_EQ(store_.most_at_once, BlockKeeper::kAtOnce);
}

// One tenant finds its data gone: all say again what they have, also what was told last in front of
// the loss; and not more often than that.
TEST_F(BlockKeeperTest, TellsAllAgainWhenDataWereLost) {
  begin(50);
  loop_.advance(1s);
  EXPECT_TRUE(store_.told.empty());
  store_.epoch = 8;
  states_[3]->shared.epoch.note({.id = 8, .sequence = 1}, loop_.clock().now());
  loop_.advance(1250ms);
  std::ranges::sort(store_.told);
  const auto again = std::ranges::unique(store_.told);
  EXPECT_EQ(store_.told.size() - again.size(), 50U);
  loop_.advance(4s);
  EXPECT_LE(store_.told.size(), 4 * 50U);
}

}  // namespace
}  // namespace penstock::gateway
