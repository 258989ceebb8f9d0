#include "tests/socket/naive_quotas.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "runtime/task.h"
#include "store/quota_store.h"
#include "store/redis/client.h"

namespace penstock::store {

using runtime::Task;

NaiveQuotas::NaiveQuotas(redis::Client& client)
    : client_(client),
      get_("return {id, tonumber(redis.call('GET', KEYS[1]) or ARGV[1])}"),
      set_("redis.call('SET', KEYS[1], ARGV[1], 'PX', 60000)\nreturn {id}") {}

Task<std::optional<QuotaAnswer>> NaiveQuotas::take(const QuotaAsk& ask, TimePoint due) {
  const std::string_view keys[] = {ask.buckets[0].key};
  const std::string burst = std::to_string(ask.buckets[0].rate.burst);
  const std::string_view full[] = {burst};
  const redis::Command get{get_, keys, full};
  const redis::RunResult got = co_await client_.run(get, due);
  if (!got) co_return std::nullopt;
  const std::int64_t left = got->front().integer;
  QuotaAnswer answer;
  answer.epoch = {1, 1};
  if (left < static_cast<std::int64_t>(ask.cost)) {
    answer.end = QuotaAnswer::End::kWait;
    co_return answer;
  }
  const std::string less = std::to_string(left - static_cast<std::int64_t>(ask.cost));
  const std::string_view words[] = {less};
  const redis::Command set{set_, keys, words};
  const redis::RunResult done = co_await client_.run(set, due);
  if (!done) co_return std::nullopt;
  co_return answer;
}

}  // namespace penstock::store
