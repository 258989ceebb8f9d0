#include "app/quota_plane.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/metric_source.h"
#include "base/rng.h"
#include "base/seams.h"
#include "crypto/hex.h"
#include "crypto/random.h"
#include "gateway/snapshot.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "store/redis/endpoint.h"
#include "store/redis/outage.h"
#include "store/redis/standing.h"
#include "store/store_config.h"
#include "telemetry/store_metrics.h"

namespace penstock::app {

using runtime::Task;

namespace {

// Among all gateways on one Redis: 128 random bits, as hex.
std::string minted_name() {
  std::array<std::byte, 16> bytes{};
  crypto::fill_random(bytes);
  return crypto::hex_encode(bytes);
}

}  // namespace

QuotaPlane::QuotaPlane(const store::StoreConfig& config,
                       std::shared_ptr<const store::redis::Endpoint> endpoint,
                       runtime::EventLoop& loop, net::Dialer& dialer, Rng& rng, LogSink& log,
                       std::shared_ptr<const gateway::Snapshot> snapshot)
    : shared_(std::move(endpoint), config.redis.timeout, minted_name(), log),
      quotas_(loop, dialer, rng.fork("quotas"), shared_),
      keeper_(loop, quotas_, std::move(snapshot)) {}

void QuotaPlane::start() {
  quotas_.start();
  keeper_.start();
}

Task<void> QuotaPlane::close() {
  co_await keeper_.close();
  co_await quotas_.close();
}

void add_store_rows(CallbackSource& source, QuotaPlane* plane) {
  telemetry::StoreReads reads;
  reads.degraded = [plane] { return plane != nullptr && plane->shared().degraded() ? 1.0 : 0.0; };
  if (plane != nullptr) {
    const store::SharedQuotas& shared = plane->shared();
    reads.other_limits = [&shared] { return static_cast<double>(shared.other_limits()); };
    const store::redis::Standing& standing = plane->shared().standing;
    for (int i = 0; i < store::redis::kOutageReasons; ++i) {
      const auto reason = static_cast<store::redis::OutageReason>(i);
      reads.errors.push_back({std::string(name(reason)), [&standing, reason] {
                                return static_cast<double>(standing.failures(reason));
                              }});
    }
    reads.dropped = [&standing] { return static_cast<double>(standing.drops()); };
  }
  telemetry::add_store_rows(source, std::move(reads));
}

}  // namespace penstock::app
