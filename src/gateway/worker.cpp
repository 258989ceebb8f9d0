#include "gateway/worker.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/rng.h"
#include "control/balancers.h"
#include "dialect/surface.h"
#include "fleet/provider.h"
#include "gateway/snapshot.h"
#include "net/connection_pool.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"

namespace penstock::gateway {

Worker::Worker(Process& shared, runtime::EventLoop& its_loop, net::Dialer& dialer,
               std::unique_ptr<Rng> random, Logs logs, std::shared_ptr<const Snapshot> config)
    : process(shared),
      loop(its_loop),
      rng(std::move(random)),
      access_log(logs.access),
      log(logs.operators),
      audit_log(logs.audit),
      snapshot(std::move(config)) {
  for (const fleet::Provider& provider : snapshot->providers) {
    std::vector<net::Origin> origins;
    for (const fleet::Replica& replica : provider.replicas) origins.push_back(replica.origin);
    pools.push_back(std::make_unique<net::ConnectionPool>(loop, dialer, *provider.permits,
                                                          std::move(origins), provider.pool));
    balancers.push_back({.balancer = control::info(provider.balance).make(), .states = {}});
    metrics.announce_provider(provider.label);
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(dialect::Surface::kMe); ++i)
    surface_labels[i] = process.labels.intern(name(static_cast<dialect::Surface>(i)));
}

void Worker::adopt(std::shared_ptr<const Snapshot> next) {
  PENSTOCK_ASSERT(next->providers.size() == pools.size());
  snapshot = std::move(next);
  for (std::size_t i = 0; i < pools.size(); ++i) pools[i]->configure(snapshot->providers[i].pool);
}

}  // namespace penstock::gateway
