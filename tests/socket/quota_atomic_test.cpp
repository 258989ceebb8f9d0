// Two gateways, each with loops of its own, take at the same time from one bucket on one Redis.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/units.h"
#include "control/rate_bucket.h"
#include "net/system_resolver.h"
#include "net/tcp_dialer.h"
#include "runtime/asio_loop.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "runtime/task_group.h"
#include "store/quota_store.h"
#include "store/redis/client.h"
#include "store/redis/endpoint.h"
#include "store/redis/standing.h"
#include "store/redis_quotas.h"
#include "tests/socket/loop_thread.h"
#include "tests/socket/naive_quotas.h"
#include "tests/socket/quota_rig.h"
#include "tests/socket/redis_rig.h"
#include "tests/socket/redis_server.h"

namespace penstock::store {
namespace {

using control::Rate;
using runtime::Task;

// An hour's bucket: nothing refills while the test runs.
constexpr std::uint64_t kCapacity = 100;
const Rate kBucket{.units = 100, .per = 1h, .burst = kCapacity};

// What one thread of a gateway stands on.
struct Ground {
  explicit Ground(std::uint16_t its_port) : port(its_port) {}
  std::uint16_t port;
  runtime::SystemClock clock;
  runtime::AsioLoop loop{clock};
  net::SystemResolver resolver{clock};
  net::TcpDialer dialer{resolver};
  redis::LoggedLines log;
};

Task<void> take_one(QuotaStore& store, std::atomic<std::uint64_t>& passed,
                    std::atomic<std::uint64_t>& silent) {
  const QuotaAsk ask = ask_for({kBucket}, 1);
  const std::optional<QuotaAnswer> answer = co_await store.take(ask, TimePoint::max());
  if (!answer) ++silent;
  if (answer && answer->end == QuotaAnswer::End::kTaken) ++passed;
}

Task<void> take_many(QuotaStore& store, std::size_t count, std::atomic<std::uint64_t>& passed,
                     std::atomic<std::uint64_t>& silent) {
  runtime::TaskGroup group;
  for (std::size_t i = 0; i < count; ++i) group.spawn(take_one(store, passed, silent));
  co_await group.join();
}

using Run = std::function<void(Ground&, std::size_t, std::atomic<std::uint64_t>&,
                               std::atomic<std::uint64_t>&)>;

// Two gateways of two threads ask for twice the capacity, all at once; how many passed.
std::uint64_t passed_of(const Run& run) {
  const redis::RedisServer server;
  constexpr std::size_t kThreads = 4;
  std::atomic<std::uint64_t> passed = 0;
  std::atomic<std::uint64_t> silent = 0;
  std::latch begin(kThreads);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      Ground ground(server.port());
      begin.arrive_and_wait();
      run(ground, 2 * kCapacity / kThreads, passed, silent);
    });
  }
  threads.clear();
  EXPECT_EQ(silent.load(), 0U);
  return passed.load();
}

Task<void> run_real(RedisQuotas& quotas, std::size_t count, std::atomic<std::uint64_t>& passed,
                    std::atomic<std::uint64_t>& silent) {
  quotas.start();
  co_await take_many(quotas, count, passed, silent);
  co_await quotas.close();
}

TEST(QuotaAtomicity, TwoGatewaysPassExactlyTheCapacity) {
  const std::uint64_t passed = passed_of([](Ground& ground, std::size_t count, auto& passed,
                                            auto& silent) {
    SharedQuotas shared(std::make_shared<const redis::Endpoint>(redis::endpoint_at(ground.port)),
                        5s, "g", ground.log);
    RedisQuotas quotas(ground.loop, ground.dialer, std::make_unique<runtime::SystemRng>(), shared);
    net::run_to_end(ground.loop, run_real(quotas, count, passed, silent));
    EXPECT_FALSE(shared.degraded());
  });
  EXPECT_EQ(passed, kCapacity);
}

Task<void> run_naive(redis::Client& client, std::size_t count, std::atomic<std::uint64_t>& passed,
                     std::atomic<std::uint64_t>& silent) {
  client.start();
  NaiveQuotas quotas(client);
  co_await take_many(quotas, count, passed, silent);
  co_await client.close();
}

// The same run notices a limiter that reads and then writes: it lets more through.
TEST(QuotaAtomicity, ANaiveLimiterPassesMore) {
  const std::uint64_t passed = passed_of([](Ground& ground, std::size_t count, auto& passed,
                                            auto& silent) {
    redis::Standing standing(ground.log);
    redis::Client client(ground.loop, ground.dialer,
                         std::make_shared<const redis::Endpoint>(redis::endpoint_at(ground.port)),
                         redis::Client::Options{.timeout = 5s},
                         std::make_unique<runtime::SystemRng>(), standing);
    net::run_to_end(ground.loop, run_naive(client, count, passed, silent));
  });
  EXPECT_GT(passed, kCapacity);
}

}  // namespace
}  // namespace penstock::store
