#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "control/rate_bucket.h"
#include "runtime/task.h"
#include "store/quota_call.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/script.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store {

// The scripts of shared quotas on a real Redis, with a clock that the test winds.
class QuotaRig {
 public:
  QuotaRig();

  // One call, by a gateway of this name, at `now` µs.
  [[nodiscard]] runtime::Task<std::optional<QuotaAnswer>> take(QuotaAsk ask,
                                                               std::string_view gateway = "one");
  // The same with a record of its own; `differs` included.
  [[nodiscard]] runtime::Task<std::optional<TakeReply>> take_as(QuotaAsk ask, TakeAs as);
  // Whether it was done.
  [[nodiscard]] runtime::Task<bool> settle(QuotaSettlement settlement);
  // Undoes the take of that record; whether anything was done.
  [[nodiscard]] runtime::Task<bool> undo(QuotaAsk ask, std::string_view record);

  redis::RedisServer server;
  redis::RedisRig redis;
  std::uint64_t epoch_new = 7;                // the id of the next epoch
  std::uint64_t now = 1'700'000'000'000'000;  // µs since 1970

 private:
  [[nodiscard]] runtime::Task<redis::RunResult> run(const redis::Script& script,
                                                    std::span<const std::string_view> keys,
                                                    std::span<const std::string_view> arguments);
  redis::Script take_;
  redis::Script settle_;
  redis::Script undo_;
};

// An ask of tenant acme for these buckets, named b0, b1 and b2.
[[nodiscard]] QuotaAsk ask_for(const std::vector<control::Rate>& rates, std::uint64_t cost,
                               const control::Epoch& seen = control::Epoch());

}  // namespace penstock::store
