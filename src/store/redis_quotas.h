#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "base/seams.h"
#include "base/units.h"
#include "net/dialer.h"
#include "runtime/event_loop.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "runtime/timer.h"
#include "store/owed.h"
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
  const redis::Script undo;
  const redis::Script probe;
  redis::Standing standing;
  std::atomic<std::uint32_t> away = 0;  // loops whose last word from the store was none

  // Whether quotas are decided without the store somewhere: the gauge `store_degraded`.
  [[nodiscard]] bool degraded() const noexcept { return away.load() != 0 || standing.degraded(); }

  // A bucket was last taken from under another limit than ours. Counted; logged once a minute, for
  // while it lasts every call tells of it.
  void note_other_limit(std::string_view bucket, TimePoint now);
  [[nodiscard]] std::uint64_t other_limits() const noexcept { return other_limits_.load(); }

 private:
  LogSink& log_;
  std::atomic<std::uint64_t> other_limits_ = 0;
  std::atomic<std::int64_t> quiet_until_ns_ = 0;
};

// Quotas in Redis, for one event loop. After a failed call it asks the store itself, twice a
// second, until there is an answer: `degraded` ends without a request to end it.
//
// A take without an answer may have run, or run yet; its caller went by the emergency limits. Where
// its buckets would feel that for kFelt or longer, it left a record there, and is undone by that
// once the store answers again. So are settlements sent then that the store was not there for. No
// more than kOwedMax of both are remembered, for kOwedFor.
class RedisQuotas final : public QuotaStore {
 public:
  static constexpr Duration kFelt = 10s;
  static constexpr std::size_t kOwedMax = 4096;
  static constexpr Duration kOwedFor = 10min;

  // All outlive it.
  RedisQuotas(runtime::EventLoop& loop, net::Dialer& dialer, std::unique_ptr<Rng> rng,
              SharedQuotas& shared);
  RedisQuotas(const RedisQuotas&) = delete;
  RedisQuotas& operator=(const RedisQuotas&) = delete;
  ~RedisQuotas() override;  // close() was awaited, or start() never called

  // Connects. Once, on the loop's thread.
  void start();
  // Takes nothing more; what was posted or is owed is sent and waited for, within the store's
  // time-out. Once.
  [[nodiscard]] runtime::Task<void> close();

  [[nodiscard]] runtime::Task<std::optional<QuotaAnswer>> take(const QuotaAsk& ask,
                                                               TimePoint due) override;
  void settle(const QuotaSettlement& settlement) noexcept override;
  [[nodiscard]] bool available(std::string_view tenant) const noexcept override;

 private:
  void heard();
  void failed(const redis::Outage& outage);
  void owe(Owed owed);
  void look_again();
  [[nodiscard]] std::string record_for(const QuotaAsk& ask);
  [[nodiscard]] runtime::Task<redis::RunResult> run_take(const QuotaAsk& ask,
                                                         std::string_view record, TimePoint due);
  [[nodiscard]] runtime::Task<void> probe();
  [[nodiscard]] runtime::Task<void> tell_owed();
  [[nodiscard]] runtime::Task<void> tell(Owed owed);
  static void on_timer(void* self) noexcept;

  runtime::EventLoop& loop_;
  SharedQuotas& shared_;
  std::unique_ptr<Rng> rng_;
  redis::Client client_;
  runtime::TaskGroup tasks_;
  runtime::Timer timer_;
  std::uint64_t name_;  // of this loop, in the records of its takes
  std::uint64_t takes_ = 0;
  std::deque<Owed> owed_;
  bool telling_ = false;
  bool away_ = false;
  bool closing_ = false;
};

}  // namespace penstock::store
