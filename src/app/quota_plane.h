#pragma once

#include <memory>

#include "base/metric_source.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/seams.h"
#include "config/config.h"
#include "gateway/block_keeper.h"
#include "gateway/snapshot.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/endpoint.h"
#include "store/redis_quotas.h"

namespace penstock::app {

// This process's part in quotas that several gateways share over Redis: what the workers share of
// it, and the keeper of blocks on the control thread.
class QuotaPlane {
 public:
  // All outlive it. Blocks nowhere: the store is connected to in start(), and may be away.
  QuotaPlane(const store::StoreConfig& config,
             std::shared_ptr<const store::redis::Endpoint> endpoint, runtime::EventLoop& loop,
             net::Dialer& dialer, Rng& rng, LogSink& log,
             std::shared_ptr<const gateway::Snapshot> snapshot);

  [[nodiscard]] store::SharedQuotas& shared() noexcept { return shared_; }
  void start();
  void set_snapshot(std::shared_ptr<const gateway::Snapshot> snapshot) {
    keeper_.set_snapshot(std::move(snapshot));
  }
  // Once every worker has ended.
  [[nodiscard]] runtime::Task<void> close();

 private:
  store::SharedQuotas shared_;
  store::RedisQuotas quotas_;
  gateway::BlockKeeper keeper_;
};

// Adds `store_degraded` and the counters of the store; plane: null where quotas are in memory.
void add_store_rows(CallbackSource& source, QuotaPlane* plane);

}  // namespace penstock::app
