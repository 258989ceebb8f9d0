// A whole gateway with four workers on real sockets: clients that come, wait in the queue of
// admission, are refused, and leave at any moment. At the end every slot is back.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/result.h"
#include "base/rng.h"
#include "base/units.h"
#include "gateway/worker.h"
#include "net/dialer.h"
#include "net/exchange.h"
#include "runtime/asio_loop.h"
#include "runtime/event_loop.h"
#include "runtime/signals.h"
#include "runtime/system.h"
#include "runtime/task.h"
#include "tests/socket/http_caller.h"
#include "tests/socket/http_load.h"
#include "tests/socket/http_provider.h"
#include "tests/socket/whole_gateway.h"
#include "tests/support/departure.h"
#include "tests/support/seeded_rng.h"

namespace penstock {
namespace {

using runtime::Task;

constexpr std::uint32_t kClientThreads = 2;
constexpr std::uint32_t kClientsPerThread = 24;
constexpr std::uint32_t kCallsPerClient = 420;  // 20,160 in all

Duration up_to(Rng& rng, Duration most) {
  return Duration(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(most.count()))));
}

// Answers each call after some milliseconds.
class Provider final : public test::HttpProvider {
 public:
  using HttpProvider::HttpProvider;

  Task<void> serve(net::Exchange& exchange) override {
    const Result<std::string_view> body = co_await exchange.read_body(body_limits());
    if (body) {
      runtime::Alarm alarm(loop());
      ignore(co_await alarm.until(loop().clock().now() + up_to(rng_, 6ms)), "the time came");
    }
    const std::array<std::string_view, 1> pieces{R"({"object":"chat.completion"})"};
    ignore(co_await exchange.reply("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n", pieces),
           "the gateway may have left");
  }

 private:
  test::SeededRng rng_{1};
};

struct Counts {
  std::atomic<std::uint32_t> served = 0;
  std::atomic<std::uint32_t> refused = 0;
  std::atomic<std::uint32_t> left = 0;
  std::atomic<std::uint32_t> odd = 0;  // anything else
};

// A client that leaves every now and then.
class Client {
 public:
  Client(runtime::AsioLoop& loop, net::Dialer& dialer, std::uint16_t port, std::uint64_t seed,
         Counts& counts)
      : loop_(loop), caller_(loop, dialer, port), rng_(seed), counts_(counts) {}

  Task<void> run() {
    for (std::uint32_t i = 0; i < kCallsPerClient; ++i) co_await call();
    co_await caller_.close();
  }

 private:
  Task<void> call() {
    test::Departure departure(loop_);
    if (rng_.below(3) == 0) departure.leave_at(loop_.clock().now() + up_to(rng_, 20ms));
    const std::string tenant = std::to_string(rng_.below(4));
    const std::array<std::string_view, 3> pieces{
        "POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\ncontent-type: application/json\r\n"
        "content-length: 62\r\nx-tenant-id: t",
        tenant,
        "\r\n\r\n{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello!!\"}]}"};
    const std::optional<test::HttpCaller::Answer> answer =
        co_await caller_.ask(pieces, departure.cancellation());
    if (answer && answer->whole && answer->status == 200)
      ++counts_.served;
    else if (answer && answer->whole && answer->status == 503)
      ++counts_.refused;
    else if (departure.cancellation().requested())
      ++counts_.left;
    else
      ++counts_.odd;
  }

  runtime::AsioLoop& loop_;
  test::HttpCaller caller_;
  test::SeededRng rng_;
  Counts& counts_;
};

TEST(GatewayQueueSocket, EverySlotComesBack) {
  runtime::ignore_broken_pipes();
  const std::uint64_t seed = test::seed_of_test(20250608);
  SCOPED_TRACE(test::rerun_with(seed));
  const runtime::SystemClock clock;
  Provider provider(clock);
  provider.start();
  test::WholeGateway gateway(
      "version: 1\nworkers: 4\nlisten: { data: 127.0.0.1:0, admin: 127.0.0.1:0 }\n"
      "auth: { mode: dev }\ntelemetry: { access_log: 'off' }\nlimits: { in_flight: 6 }\n"
      "admission: { queue: 12, queue_wait: 100ms }\n"
      "tenants: { t0: { limits: { in_flight: 5 } }, t1: {}, t2: {} }\n"
      "providers: { p: { dialect: openai, replicas: [ http://127.0.0.1:" +
      std::to_string(provider.port()) +
      " ] } }\nmodels: { m: { targets: [ { provider: p, model: up } ] } }\n");
  ASSERT_NE(gateway.port(), 0U);
  Counts counts;
  test::run_clients<Client>(clock, kClientThreads, kClientsPerThread,
                            [&](runtime::AsioLoop& loop, net::Dialer& dialer, std::uint32_t i) {
                              return std::make_unique<Client>(loop, dialer, gateway.port(),
                                                              seed + i, counts);
                            });
  const gateway::Process& process = gateway.process();
  // A request settles a moment after its last byte; a client's departure is noticed a moment later.
  gateway.end();
  provider.end();
  EXPECT_EQ(process.in_flight.in_flight(), 0U);
  EXPECT_EQ(process.waiting_room.waiting(), 0U);
  EXPECT_EQ(process.body_memory.used(), 0_B);
  EXPECT_EQ(counts.odd.load(), 0U);
  EXPECT_EQ(counts.served + counts.refused + counts.left,
            kClientThreads * kClientsPerThread * kCallsPerClient);
  // It would show nothing if one of these did not happen; how often depends on the machine's load.
  EXPECT_GT(counts.served.load(), 100U);
  EXPECT_GT(counts.refused.load(), 0U);
  EXPECT_GT(counts.left.load(), 0U);
}

}  // namespace
}  // namespace penstock
