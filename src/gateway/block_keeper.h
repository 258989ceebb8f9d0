#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/units.h"
#include "control/block.h"
#include "gateway/snapshot.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/quota_store.h"

namespace penstock::gateway {

// Looks after this gateway's blocks of the ceilings that it shares: renews them every five seconds,
// gives back what is idle, and all of them at the end. Once a second, on one loop. When any
// tenant's data turn out to be lost all blocks are told again within a second: what runs here is
// not known there any more. No more than kAtOnce of them are on their way at a time.
class BlockKeeper {
 public:
  static constexpr std::size_t kAtOnce = 64;

  // loop, store: outlive it.
  BlockKeeper(runtime::EventLoop& loop, store::QuotaStore& store,
              std::shared_ptr<const Snapshot> snapshot);
  BlockKeeper(const BlockKeeper&) = delete;
  BlockKeeper& operator=(const BlockKeeper&) = delete;

  void start();
  // From the next look on this config counts.
  void set_snapshot(std::shared_ptr<const Snapshot> snapshot) { snapshot_ = std::move(snapshot); }
  // Gives back what is held, as far as the store takes it within a second; then stops. Once.
  [[nodiscard]] runtime::Task<void> close();

 private:
  // Names a place of the store and what this process keeps of it; kept alive by their snapshot.
  struct Held;
  [[nodiscard]] runtime::Task<void> run();
  [[nodiscard]] std::vector<Held> all_of(const Snapshot& snapshot) const;
  [[nodiscard]] bool data_lost(const Snapshot& snapshot);
  [[nodiscard]] std::optional<control::Block::Setting> due(const Held& held) const;
  [[nodiscard]] runtime::Task<void> tend_all();
  [[nodiscard]] runtime::Task<void> set(Held held, control::Block::Setting setting);

  runtime::EventLoop& loop_;
  store::QuotaStore& store_;
  std::shared_ptr<const Snapshot> snapshot_;
  runtime::Alarm alarm_;
  runtime::TaskGroup group_;
  std::uint64_t generations_ = 0;  // of all tenants' data, added up
  TimePoint hurry_until_;
  bool stopping_ = false;
};

}  // namespace penstock::gateway
