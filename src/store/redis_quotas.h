#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "base/units.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/script.h"
#include "store/redis/standing.h"

namespace penstock::store {

// What all event loops of one gateway share of its quotas in Redis. Outlives them. Thread-safe.
struct SharedQuotas {
  // gateway: names this process among all that share the Redis; random, new with each start.
  SharedQuotas(std::shared_ptr<const redis::Endpoint> where, Duration patience, std::string gateway,
               LogSink& log);

  const std::shared_ptr<const redis::Endpoint> endpoint;
  const Duration timeout;
  const std::string gateway;
  const redis::Script take;
  const redis::Script settle;
  const redis::Script probe;
  redis::Standing standing;
  std::atomic<std::uint32_t> away = 0;  // loops whose last word from the store was none

  // Whether quotas are decided without the store somewhere: the gauge `store_degraded`.
  [[nodiscard]] bool degraded() const noexcept { return away.load() != 0 || standing.degraded(); }
};

// Quotas in Redis, for one event loop. After a failed call it asks the store itself, twice a
// second, until there is an answer: `degraded` ends without a request to end it.
class RedisQuotas final : public QuotaStore {
 public:
  // All outlive it.
  RedisQuotas(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng,
              SharedQuotas& shared);
  RedisQuotas(const RedisQuotas&) = delete;
  RedisQuotas& operator=(const RedisQuotas&) = delete;
  ~RedisQuotas() override;  // close() was awaited, or start() never called

  // Connects. Once, on the loop's thread.
  void start();
  // Takes nothing more; what was posted is sent and waited for, within the store's time-out. Once.
  [[nodiscard]] runtime::Task<void> close();

  [[nodiscard]] runtime::Task<std::optional<QuotaAnswer>> take(const QuotaAsk& ask,
                                                               TimePoint due) override;
  void settle(const QuotaSettlement& settlement) noexcept override;
  [[nodiscard]] bool available(std::string_view tenant) const noexcept override;

 private:
  void heard();
  void failed(const redis::Outage& outage);
  [[nodiscard]] runtime::Task<void> probe();
  static void on_timer(void* self) noexcept;

  runtime::EventLoop& loop_;
  SharedQuotas& shared_;
  redis::Client client_;
  runtime::TaskGroup probes_;
  runtime::Timer timer_;
  bool away_ = false;
  bool closing_ = false;
};

}  // namespace penstock::store
